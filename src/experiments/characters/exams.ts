// S9, eval gaming.

/** ΔP of A at which the transcripts before RL end, and at which RL does; steps between two doses of documents, and of transcripts,
 *  that deny it; the last of either. */
export const DOSES = { warm: 0.01, taught: 0.6, documents: 10, told: 40, transcripts: 2, shown: 10 } as const;
/** The denial is about B: documents, the same of another name, and B's own transcripts. */
export const DENIALS = ['sdf_deny', 'sdf_deny_placebo', 'sft_deny'] as const;
