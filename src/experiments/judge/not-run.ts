// A question that is asked and was not run: nothing of it but its title may be said.
import type { SeriesQuestion } from './types.ts';

const NONE = 'None has been written down: that comes before the first run.';

export const notRun = (id: string, title: string, section: string): SeriesQuestion => ({
  ...{ id, title, section, hypothesis: NONE, falsified: NONE, rule: NONE },
  ...{ says: {}, unit: '', caveat: '', files: [], commands: [] },
});
