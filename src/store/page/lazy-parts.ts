// Parts of the page's store that few visits use. Each is loaded when its view is first opened, and remains when the user leaves the view,
// so that its work continues.
import { ENVIRONMENT_NAMES } from '../../experiments/environments/registry.ts';
import type { Annotation } from '../../lab/protocol/experiments.ts';
import type { createBasisActions } from '../bases/actions.ts';
import type { PairSets } from '../bases/pair-sets.ts';
import type { StoreContext } from '../context.ts';
import type { FormActions } from '../form/actions.ts';
import type { createKeptActions } from '../kept/actions.ts';
import { createPublished } from '../runs/published.ts';

interface LazyPorts {
  form: FormActions;
  basis: ReturnType<typeof createBasisActions>;
  kept: ReturnType<typeof createKeptActions>;
  pairs: PairSets;
  /** Opens the required model. */
  follow(): Promise<void>;
  showLive(): Promise<void>;
}

/** A factory whose first result is returned by all later calls. */
function once<Args extends unknown[], Part>(make: (...args: Args) => Part): (...args: Args) => Part {
  let made: { part: Part } | null = null;
  return (...args) => {
    made ??= { part: make(...args) };
    return made.part;
  };
}

export function createLazyParts(context: StoreContext, { form, basis, kept, pairs, follow, showLive }: LazyPorts) {
  const annotate = (id: string, changes: Annotation) => kept.actions.annotate('run', id, changes);
  const openModels = once(async () => {
    const { createModels } = await import('../models/models.ts');
    return createModels(context, (id) => form.setField('model', id));
  });
  const openPairEditor = once(async () => (await import('../bases/pair-editor.ts')).createPairEditor(context, pairs));
  return {
    /** @param base the page's own address */
    published: once((base: string) => createPublished(base, ENVIRONMENT_NAMES[0])),

    openProbe: once(async () => {
      const { createProbe } = await import('../kinds/probe/probe.ts');
      return createProbe(context, {
        probes: () => kept.refreshList('probe'),
        artifacts: async () => void (await Promise.all([kept.refresh(), basis.refresh()])),
      });
    }),

    openModels,

    openPairEditor,

    openLabelling: once(async () => {
      const { createLabelling } = await import('../rollouts/labelling.ts');
      return createLabelling(context, await openPairEditor());
    }),

    openBasisBench: once(async () => (await import('../bases/bench.ts')).createBasisBench(context, basis)),

    openPlayground: once(async () => (await import('../playground/playground.ts')).createPlayground(context)),

    openExitSteps: once(async () => (await import('../playground/exit-steps.ts')).createExitSteps(context)),

    openCharacters: once(async () => (await import('../characters/characters.ts')).createCharacters(context)),

    openSweeps: once(async () => (await import('../sweeps/sweeps.ts')).createSweeps(context, { annotate, showLive })),

    openBasisTrial: once(async () => (await import('../runs/basis-trial.ts')).createBasisTrial(context)),

    openAsker: once(async () => {
      const { createAsker } = await import('../agents/asker.ts');
      return createAsker({ context, follow, loadEmbedded: async (id) => (await openModels()).loadEmbedded(id) });
    }),

    openDataSets: once(async () => (await import('../models/data-sets.ts')).createDataSets(context)),

    openProblemFiles: once(async () => {
      const { createProblemFiles } = await import('../models/problem-files.ts');
      return createProblemFiles(context, (environment) => form.setField('environment', environment));
    }),
  };
}
