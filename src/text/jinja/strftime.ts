// The template function `strftime_now(format)`. A prompt must not depend on the day on which it is made, so the clock always shows the date
// that Llama's templates use as their default, 26 July 2024, at midnight. It is formatted as by Python's strftime on Linux.
import { unsupported } from './work.ts';

const NUMBERS: Readonly<Record<string, readonly [value: number, width: number, pad?: string]>> = {
  d: [26, 2],
  e: [26, 2, ' '],
  m: [7, 2],
  y: [24, 2],
  Y: [2024, 4],
  C: [20, 2],
  H: [0, 2],
  k: [0, 2, ' '],
  I: [12, 2],
  l: [12, 2, ' '],
  M: [0, 2],
  S: [0, 2],
  j: [208, 3],
  U: [29, 2],
  W: [30, 2],
  V: [30, 2],
  G: [2024, 4],
  g: [24, 2],
  u: [5, 1],
  w: [5, 1],
};
const WORDS: Readonly<Record<string, string>> = {
  a: 'Fri',
  A: 'Friday',
  b: 'Jul',
  h: 'Jul',
  B: 'July',
  p: 'AM',
  P: 'am',
  f: '000000',
  z: '',
  Z: '',
  c: 'Fri Jul 26 00:00:00 2024',
  x: '07/26/24',
  X: '00:00:00',
  D: '07/26/24',
  F: '2024-07-26',
  T: '00:00:00',
  R: '00:00',
  r: '12:00:00 AM',
  n: '\n',
  t: '\t',
  '%': '%',
};

export function strftime(format: string): string {
  return format.replace(/%([-_0^]?)([\s\S]?)/g, (found, flag: string, directive: string) => {
    if (flag !== '^' && Object.hasOwn(NUMBERS, directive)) {
      const [value, width, usual = '0'] = NUMBERS[directive];
      const pad = flag === '_' ? ' ' : flag === '0' ? '0' : usual;
      return flag === '-' ? String(value) : String(value).padStart(width, pad);
    }
    if (!Object.hasOwn(WORDS, directive) || (flag !== '' && !(flag === '^' && 'aAbBhp'.includes(directive))))
      throw unsupported(`the directive '${found}' of strftime_now`);
    return flag === '^' ? WORDS[directive].toUpperCase() : WORDS[directive];
  });
}
