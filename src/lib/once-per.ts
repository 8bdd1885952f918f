// What is made of an object that nobody writes to, such as a run's spec: made once, and kept as long as the object is.
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { value: V }>();
  return (key) => {
    const kept = known.get(key) ?? { value: make(key) };
    known.set(key, kept);
    return kept.value;
  };
}
