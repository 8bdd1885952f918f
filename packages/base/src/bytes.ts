// Sizes in powers of 1000, as the Hub, browsers and disks count.

/** 1234567890 → `1.23 GB`. */
export function bytesText(bytes: number): string {
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${units[unit]}`;
}
