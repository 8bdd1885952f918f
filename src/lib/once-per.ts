// Caches a value computed from an immutable object, such as a run's spec, for as long as the object exists.
export function oncePer<K extends object, V>(make: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { value: V }>();
  return (key) => {
    const kept = known.get(key) ?? { value: make(key) };
    known.set(key, kept);
    return kept.value;
  };
}
