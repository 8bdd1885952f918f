// A run in TensorBoard's format: an event file, which is a row of records (length, masked CRC-32C, bytes, masked CRC-32C), each an Event of
// TensorFlow's event.proto. Only five fields of it are written, so that the few lines of protobuf are here; the test reads them back by a
// published reader.
import type { RunRecord } from '../../experiments/records/events.ts';
import { numbersOf } from '../files/steps.ts';

/** Table of Castagnoli's polynomial, reflected. */
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC in TFRecord's form: rotated by 15 bits, plus a constant. */
function maskedCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  crc = ~crc >>> 0;
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

function record(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(data.length + 16);
  const view = new DataView(out.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, maskedCrc(out.subarray(0, 8)), true);
  out.set(data, 12);
  view.setUint32(12 + data.length, maskedCrc(data), true);
  return out;
}

// ---- protobuf: a field is its number and kind of wire, then its bytes ----------------------------------------------------

const [VARINT, DOUBLE, BYTES, FLOAT] = [0, 1, 2, 5];

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return [...bytes, left];
}

const field = (number: number, wire: number, bytes: ArrayLike<number>): number[] => [
  ...varint(number * 8 + wire),
  ...(wire === BYTES ? varint(bytes.length) : []),
  ...Array.from(bytes),
];
const double = (number: number, value: number) =>
  field(number, DOUBLE, new Uint8Array(new Float64Array([value]).buffer));
const float = (number: number, value: number) => field(number, FLOAT, new Uint8Array(new Float32Array([value]).buffer));
const text = (number: number, value: string) => field(number, BYTES, new TextEncoder().encode(value));

/** Event: wall_time = 1, step = 2, file_version = 3, summary = 5; Summary: value = 1; Value: tag = 1, simple_value = 2. */
function eventOf(seconds: number, step: number, values: readonly (readonly [string, number])[]): Uint8Array {
  const summary = values.flatMap(([tag, value]) => field(1, BYTES, [...text(1, tag), ...float(2, value)]));
  return Uint8Array.from([...double(1, seconds), ...field(2, VARINT, varint(step)), ...field(5, BYTES, summary)]);
}

/** The file's name has the prefix that TensorBoard looks for. */
export const EVENTS_FILE = 'events.out.tfevents.0.lab';

/** Times are the run's own: its beginning, and the durations of its steps. */
export function tensorboardOf({ createdAt, rows, timings, evals, spec }: RunRecord): Uint8Array {
  const from = createdAt / 1000;
  const numbers = numbersOf(spec);
  let seconds = 0;
  const records = [record(Uint8Array.from([...double(1, from), ...text(3, 'brain.Event:2')]))];
  for (const [i, row] of rows.entries()) {
    seconds += timings[i]?.total ?? 0;
    const values = numbers.flatMap(([name, of]) => {
      const value = of(row);
      return value === null ? [] : [[name, value] as const];
    });
    records.push(record(eventOf(from + seconds, row.step, values)));
  }
  for (const { model, step, all } of evals) {
    const values = Object.entries(all.figures).flatMap(([id, value]) =>
      typeof value === 'number' && Number.isFinite(value) ? [[`eval/${model}/${id}`, value] as const] : [],
    );
    if (values.length > 0) records.push(record(eventOf(from + seconds, step, values)));
  }
  const out = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of records) {
    out.set(bytes, at);
    at += bytes.length;
  }
  return out;
}
