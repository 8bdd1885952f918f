// Records whose keys come from outside. `record[key] = value` with the key `__proto__` sets the record's prototype, and through
// `record[key]` a path such as `constructor.prototype` leads out of the record into every object's: keys of files, links and archives are
// read and written here (or are in a Map). `scripts/check-keys.mjs` refuses the plain form. Lowest layer.

/** The record's own value; undefined if it has none, even if its prototype has that name. */
export function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Sets an own property, `__proto__` too; order of keys and JSON are those of a plain assignment. */
export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  // Every other inherited name is a plain value, and assigning makes it the record's own: several times as fast, and files of rows have
  // millions of keys.
  else record[key] = value;
}
