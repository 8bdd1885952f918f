// Features of a text for a linear classifier: whether it has each token, and each pair of neighbouring tokens, that at least two of the texts
// have from which the features were made. A classifier of them reads the text alone: no model, no activations.

export interface TextFeatures {
  size: number;
  /** [size] of 0 and 1. */
  of(ids: readonly number[]): Float32Array;
}

/** Texts that must share a feature: what one text alone has says which text it is. */
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
