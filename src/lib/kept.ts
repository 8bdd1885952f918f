/** What `map` has for `key`; what it lacks is made, and kept. `most`: so many are kept, then all are forgotten. */
export function kept<K, V>(map: Map<K, V>, key: K, make: () => V, most = Number.POSITIVE_INFINITY): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (map.size >= most) map.clear();
  map.set(key, made);
  return made;
}
