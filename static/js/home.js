/** The strip on the first page can be put away for good; a cookie tells the server not to send it again. */

const strip = document.getElementById("strip");

if (document.cookie.split("; ").includes("strip=away")) strip.remove();

document.querySelector("[data-put-away]")?.addEventListener("click", () => {
  document.cookie = "strip=away; path=/; max-age=31536000; samesite=lax";
  strip.remove();
  document.querySelector("h1").focus();
});
