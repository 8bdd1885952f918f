// The choices of a comparison in its address: `?view=compare&of=<group>,<group>&against=<group>&by=k&smooth=0.8`. A group names an arm of a
// run that is stored in this browser.

/** Smoothing of the charts until the user changes it. */
const SMOOTHING = 0.6;
/** Maximum number of groups in a link, which is more lines than a chart can show. */
const MOST = 64;

export interface CompareChoice {
  /** Ids of the chosen groups, in the order in which they were chosen. */
  picked: readonly string[];
  /** Null selects the first group. */
  reference: string | null;
  /** Setting that colours the lines; empty colours by arm. */
  by: string;
  /** 0 … 1 */
  beta: number;
}

export const NO_COMPARISON: CompareChoice = { picked: [], reference: null, by: '', beta: SMOOTHING };

/** The experiment to which a group belongs. */
export const experimentOfGroup = (id: string): string => id.slice(0, Math.max(0, id.indexOf('/')));

const isGroup = (id: string | null): id is string => id !== null && /^[\w-]{1,64}\/[^,\s]{1,160}$/.test(id);

/** Invalid parts are dropped, since users also type links by hand. */
export function compareInAddress(search: string): CompareChoice {
  const params = new URLSearchParams(search);
  const picked = [...new Set((params.get('of') ?? '').split(',').filter(isGroup))].slice(0, MOST);
  const reference = params.get('against');
  const beta = Number(params.get('smooth') ?? Number.NaN);
  return {
    picked,
    reference: isGroup(reference) && picked.includes(reference) ? reference : null,
    by: /^\w{1,40}$/.exec(params.get('by') ?? '')?.[0] ?? '',
    beta: beta >= 0 && beta < 1 ? beta : SMOOTHING,
  };
}

/** A parameter is null if it has its default. */
export const compareParams = ({ picked, reference, by, beta }: CompareChoice) => ({
  of: picked.length > 0 ? picked.join(',') : null,
  against: reference,
  by: by === '' ? null : by,
  smooth: beta === SMOOTHING ? null : String(beta),
});
