/** The cached value of `key` in `map`; a missing one is created and stored. A map with `most` values is cleared first. */
export function kept<K, V>(map: Map<K, V>, key: K, make: () => V, most = Number.POSITIVE_INFINITY): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  if (map.size >= most) map.clear();
  map.set(key, made);
  return made;
}
