// Reads an app's state from a scenario file. The reference builds dataclasses of any content and fails later; here each field has a type,
// and a value of another type is a PythonError that names its place.
import { keyError, PythonError } from '../../python-error.ts';
import { typeName } from '../../python-type.ts';
import { isDict, isList, type Value, type Values } from '../../value.ts';

/** Reads a value; errors name its path `at`. */
export type Reader<T> = (value: Value | undefined, at: string) => T;
type ReadBy<R> = R extends Reader<infer T> ? T : never;

function wrong(value: Value | undefined, at: string, type: string): PythonError {
  if (value === undefined) return keyError(at);
  return new PythonError('TypeError', `${at} must be of type ${type}, got <class '${typeName(value)}'>`);
}

export const str: Reader<string> = (value, at) => {
  if (typeof value !== 'string') throw wrong(value, at, 'str');
  return value;
};
/** A text that nothing depends on; files also have null and numbers in such places. */
export const text: Reader<string> = (value, at) =>
  value === null ? '' : typeof value === 'number' ? String(value) : str(value, at);
/** A bool is a number in Python. */
export const num: Reader<number> = (value, at) => {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'number' || !Number.isFinite(value)) throw wrong(value, at, 'float');
  return value;
};
export const bool: Reader<boolean> = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(value, at, 'bool');
  return value;
};
export const any: Reader<Value> = (value, at) => {
  if (value === undefined) throw wrong(value, at, 'Any');
  return value;
};

/** A member that may be null or absent. */
export const nullable =
  <T>(read: Reader<T>): Reader<T | null> =>
  (value, at) =>
    value === null || value === undefined ? null : read(value, at);

/** A member with a default where it is absent. */
export const withDefault =
  <T>(read: Reader<T>, fallback: T): Reader<T> =>
  (value, at) =>
    value === undefined ? fallback : read(value, at);

export const list =
  <T>(read: Reader<T>): Reader<T[]> =>
  (value, at) => {
    if (value === undefined || !isList(value)) throw wrong(value, at, 'list');
    return (value as readonly Value[]).map((item, index) => read(item, `${at}[${index}]`));
  };

/** A dict in the file's order (but JavaScript puts keys that look like small integers first). */
export const dict =
  <T>(read: Reader<T>): Reader<Map<string, T>> =>
  (value, at) =>
    new Map(Object.entries(values(value, at)).map(([key, item]) => [key, read(item, `${at}.${key}`)]));

/** A dict with fixed keys. Other keys are dropped. */
export const record =
  <S extends Record<string, Reader<unknown>>>(shape: S): Reader<{ [K in keyof S]: ReadBy<S[K]> }> =>
  (value, at) => {
    const given = values(value, at);
    const read = ([key, reader]: [string, Reader<unknown>]) => [
      key,
      reader(Object.hasOwn(given, key) ? given[key] : undefined, at === '' ? key : `${at}.${key}`),
    ];
    return Object.fromEntries(Object.entries(shape).map(read)) as { [K in keyof S]: ReadBy<S[K]> };
  };

const values: Reader<Values> = (value, at) => {
  if (value === undefined || !isDict(value)) throw wrong(value, at === '' ? 'state' : at, 'dict');
  return value as Values;
};

/** A map as a plain object for a file. */
export const asDict = <T, U extends Value>(map: ReadonlyMap<string, T>, write: (item: T) => U): Record<string, U> =>
  Object.fromEntries([...map].map(([key, item]) => [key, write(item)]));

/** A copy of an app's value, which does not change when the app changes. */
export const copyOf = <T extends Value>(value: T): T => structuredClone(value);
