// Records whose keys come from outside. `record[key] = value` with the key `__proto__` sets the record's prototype, and a path such as
// `constructor.prototype` read through `record[key]` reaches the prototype of every object. So keys from files, links and archives are read
// and written with these functions (or stored in a Map). `scripts/check-keys.mjs` refuses the plain form. Lowest layer.

/** The record's own value; undefined if it has none, even if its prototype has one. */
export function ownOf<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Sets an own property, also `__proto__`; order of keys and JSON are those of a plain assignment. */
export function setOwn<T>(record: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  // Every other inherited name is writable, so assigning creates an own property. That is several times faster, and files of rows have
  // millions of keys.
  else record[key] = value;
}
