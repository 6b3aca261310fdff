/**
 * Works out the fingerprint of a number from its salt, here in the browser, and says whether it is the one published.
 *
 * A browser's own SHA-256 is there on https only; a friend's phone in the same house comes by http. So here is one.
 */

const PRIMES = [];
for (let n = 2; PRIMES.length < 64; n++) if (PRIMES.every((prime) => n % prime)) PRIMES.push(n);
const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32) | 0;
const K = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));
const turn = (x, by) => (x >>> by) | (x << (32 - by));

/** SHA-256 (FIPS 180-4) of at most 55 bytes, which fit one block; in hex. */
export function sha256(bytes) {
  const block = new DataView(new ArrayBuffer(64));
  bytes.forEach((byte, at) => block.setUint8(at, byte));
  block.setUint8(bytes.length, 0x80);
  block.setUint32(60, bytes.length * 8);
  const w = Array.from({ length: 16 }, (_, at) => block.getInt32(at * 4));
  for (let t = 16; t < 64; t++) {
    const [x, y] = [w[t - 15], w[t - 2]];
    const small = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const large = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[t] = (w[t - 16] + small + w[t - 7] + large) | 0;
  }
  let [a, b, c, d, e, f, g, h] = START;
  for (let t = 0; t < 64; t++) {
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + K[t] + w[t]) | 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  const sums = [a, b, c, d, e, f, g, h].map((part, at) => (part + START[at]) >>> 0);
  return sums.map((sum) => sum.toString(16).padStart(8, "0")).join("");
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-seal]");
  if (!button) return;
  const { seal, salt, code, good, bad } = button.dataset;
  const bytes = [...salt.match(/../g).map((pair) => parseInt(pair, 16)), ...new TextEncoder().encode(code)];
  const same = sha256(bytes) === seal;
  const told = button.parentElement.querySelector("output");
  told.value = same ? good : bad;
  told.dataset.same = same;
});
