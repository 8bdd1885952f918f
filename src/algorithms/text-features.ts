// Binary features of a text for a linear classifier: the presence of each token, and of each pair of adjacent tokens, that occurs in at least
// two of the fitting texts. Such a classifier uses only the text, without a model's activations.

export interface TextFeatures {
  size: number;
  /** [size], 0 or 1. */
  of(ids: readonly number[]): Float32Array;
}

/** Number of texts that must share a feature, since a feature of a single text would only identify that text. */
const LEAST_TEXTS = 2;

export function textFeatures(texts: readonly (readonly number[])[]): TextFeatures {
  const found = new Map<string, number>();
  for (const ids of texts) for (const gram of gramsOf(ids)) found.set(gram, (found.get(gram) ?? 0) + 1);
  const kept = [...found].flatMap(([gram, count]) => (count >= LEAST_TEXTS ? [gram] : []));
  const places = new Map(kept.map((gram, place) => [gram, place] as const));
  return {
    size: kept.length,
    of(ids) {
      const features = new Float32Array(kept.length);
      for (const gram of gramsOf(ids)) {
        const place = places.get(gram);
        if (place !== undefined) features[place] = 1;
      }
      return features;
    },
  };
}

const gramsOf = (ids: readonly number[]): Set<string> =>
  new Set(ids.flatMap((id, i) => (i === 0 ? [`${id}`] : [`${id}`, `${ids[i - 1]} ${id}`])));
