"""Looks at a page as it stands: in every size, that it fits; that axe finds nothing; that a thumb finds everything.

With `SHOTS=all` (`make shots`) it does so in both themes of both languages and leaves pictures in `artifacts/shots`;
otherwise in English by day and in Italian by night, on a phone, and takes no picture.
"""

import os
from pathlib import Path
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, ViewportSize

Theme = Literal["light", "dark"]

ALL = os.environ.get("SHOTS") == "all"
THEMES: dict[str, tuple[Theme, ...]] = {
    "en": ("light", "dark") if ALL else ("light",),
    "it": ("dark", "light") if ALL else ("dark",),
}
SIZES: dict[str, ViewportSize] = {
    "320": {"width": 320, "height": 640},
    "390": {"width": 390, "height": 844},
    "768": {"width": 768, "height": 1024},
    "1280": {"width": 1280, "height": 800},
    "1920": {"width": 1920, "height": 1080},
}
ZOOMED: ViewportSize = {"width": 640, "height": 400}
"""What is left of a desk's 1280 × 800 at 200 %."""
WITH_AXE = ("390", "1280") if ALL else ("390",)
SMALLEST_TARGET = 44

TOO_SMALL = """smallest => {
  const shown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: false });
  const clipped = (one) => getComputedStyle(one).clipPath !== "none";
  // A link within a sentence is as high as its line (WCAG 2.5.8 says so too).
  const within = (one) => one.tagName === "A" && getComputedStyle(one).display === "inline"
    && one.parentElement.textContent.trim().length > one.textContent.trim().length;
  const reach = (one) => {
    const label = one.matches("input") && one.labels?.[0];
    const [own, whole] = [one.getBoundingClientRect(), (label || one).getBoundingClientRect()];
    return [Math.max(own.width, whole.width), Math.max(own.height, whole.height)];
  };
  return [...document.querySelectorAll("a[href],button,input:not([type=hidden]),select,textarea,summary")]
    .filter((one) => shown(one) && !clipped(one) && !within(one))
    .map((one) => [one.outerHTML.slice(0, 120), ...reach(one).map(Math.round)])
    .filter(([, width, height]) => width < smallest || height < smallest);
}"""


class Camera:
    def __init__(self, folder: Path, language: str) -> None:
        self.folder, self.language = folder, language

    def take(self, page: Page, name: str, *, whole: bool = False) -> None:
        own = page.viewport_size
        for theme in THEMES[self.language]:
            page.emulate_media(color_scheme=theme)
            for size, view in SIZES.items():
                page.set_viewport_size(view)
                self._fits(page, f"{name} at {size}")
                if size in WITH_AXE:
                    page.wait_for_timeout(150)  # what turns or fades has done so
                    self._is_accessible(page, f"{name}, {theme}, {size}")
                    self._is_in_reach(page, f"{name} at {size}")
                if ALL:
                    page.wait_for_timeout(150)
                    path = self.folder / f"{name}.{self.language}.{theme}.{size}.png"
                    page.screenshot(path=path, full_page=whole)
        page.set_viewport_size(ZOOMED)
        self._fits(page, f"{name} at 200 %")
        if own:
            page.set_viewport_size(own)

    def _is_accessible(self, page: Page, name: str) -> None:
        found = Axe().run(page)
        assert found.violations_count == 0, f"{name}: {found.generate_report()}"

    def _fits(self, page: Page, name: str) -> None:
        wide, screen = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= screen, f"{name} is {wide} px wide on a screen of {screen}"

    def _is_in_reach(self, page: Page, name: str) -> None:
        """Targets of 44 px (DESIGN: no target under 44 px)."""
        small = page.evaluate(TOO_SMALL, SMALLEST_TARGET)
        assert small == [], f"{name}: too small to be hit: {small}"
