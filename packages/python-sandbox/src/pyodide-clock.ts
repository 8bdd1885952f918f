// The clock of CPython in the sandbox: a counter that advances when it is read, with the same start in every program, in UTC.
// Self-contained: see sandbox-source.ts.

import type { Import } from './file-calls.ts';

/** The imports that read the time, of both modules. `view` returns the VM's current memory. */
export function createPyodideClock(view: () => DataView): {
  env: Record<string, Import>;
  wasi: Record<string, Import>;
  /** Called before each program. */
  begin(): void;
} {
  /** 2026-01-01 in milliseconds. */
  const EPOCH_MS = 1767225600000;
  const NS_PER_MS = 1_000_000n;
  let ticks = 0;
  /** Advances the counter, and returns the time in milliseconds. */
  const now = (): number => {
    ticks += 1;
    return ticks;
  };
  /** struct tm: ten integers. */
  const writeTime = (seconds: bigint, pointer: number): void => {
    const date = new Date(Number(seconds) * 1000);
    const january = Date.UTC(date.getUTCFullYear(), 0, 1);
    const fields = [
      date.getUTCSeconds(),
      date.getUTCMinutes(),
      date.getUTCHours(),
      date.getUTCDate(),
      date.getUTCMonth(),
      date.getUTCFullYear() - 1900,
      date.getUTCDay(),
      Math.floor((date.getTime() - january) / 86_400_000),
      0,
      0,
    ];
    for (const [i, field] of fields.entries()) view().setInt32(pointer + 4 * i, field, true);
  };
  const readTime = (pointer: number): bigint => {
    const field = (i: number): number => view().getInt32(pointer + 4 * i, true);
    const [second, minute, hour, day, month, year] = [field(0), field(1), field(2), field(3), field(4), field(5)];
    const seconds = Date.UTC(year + 1900, month, day, hour, minute, second) / 1000;
    if (!Number.isFinite(seconds)) return -1n;
    writeTime(BigInt(seconds), pointer);
    return BigInt(seconds);
  };
  const writeName = (pointer: number): void => {
    for (const [i, char] of ['U', 'T', 'C', '\0'].entries()) view().setUint8(pointer + i, char.charCodeAt(0));
  };
  return {
    begin() {
      ticks = 0;
    },
    env: {
      emscripten_date_now: () => EPOCH_MS + now(),
      emscripten_get_now: now,
      _gmtime_js: writeTime,
      _localtime_js: writeTime,
      _timegm_js: readTime,
      _mktime_js: readTime,
      _tzset_js: (zone: number, daylight: number, standardName: number, daylightName: number) => {
        view().setInt32(zone, 0, true);
        view().setInt32(daylight, 0, true);
        writeName(standardName);
        writeName(daylightName);
      },
    },
    wasi: {
      clock_time_get: (_clock: number, _precision: bigint, out: number) => {
        view().setBigInt64(out, BigInt(EPOCH_MS + now()) * NS_PER_MS, true);
        return 0;
      },
      clock_res_get: (_clock: number, out: number) => {
        view().setBigInt64(out, NS_PER_MS, true);
        return 0;
      },
    },
  };
}
