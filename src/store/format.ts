// How numbers are written on the page: shares as percent, times as people say them, bytes in powers of 1024.

/** 0.4213 → `42.1%`; null → `–`. */
export function percent(x: number | null | undefined, digits = 1): string {
  return x === null || x === undefined ? '–' : `${(100 * x).toFixed(digits)}%`;
}

/** Percentage points with a sign: −0.31 → `−31.0`. */
export function points(x: number | null | undefined): string {
  if (x === null || x === undefined) return '–';
  const value = (100 * x).toFixed(1);
  return x > 0 ? `+${value}` : value.replace('-', '−');
}

export function decimal(x: number | null | undefined, digits = 3): string {
  return x === null || x === undefined ? '–' : x.toFixed(digits).replace('-', '−');
}

/** 47 → `47 s`, 125 → `2 min 5 s`, 5400 → `1 h 30 min`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  const min = Math.floor(s / 60);
  if (min < 60) return s % 60 ? `${min} min ${s % 60} s` : `${min} min`;
  return min % 60 ? `${Math.floor(min / 60)} h ${min % 60} min` : `${Math.floor(min / 60)} h`;
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  const units = ['kB', 'MB', 'GB'];
  let value = n / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

/** `20 Nov, 15:04`, in the reader's own time zone. */
export function moment(milliseconds: number): string {
  return new Date(milliseconds).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  });
}

/** Three significant digits, whatever the size: 12.3, 0.0123, 1.2e−5. */
export function significant(x: number | null | undefined): string {
  if (x === null || x === undefined) return '–';
  const text =
    x !== 0 && Math.abs(x) < 1e-3 ? x.toExponential(1).replace('.0e', 'e') : String(Number(x.toPrecision(3)));
  return text.replaceAll('-', '−');
}
