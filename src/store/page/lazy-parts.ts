// Parts of the page's store that most visits never need: each arrives when its view is first opened, and is kept when that is left,
// so that what is at work there goes on.
import { ENVIRONMENT_NAMES } from '../../experiments/environments/registry.ts';
import type { Asker } from '../agents/asker.ts';
import type { createBasisActions } from '../bases/actions.ts';
import type { BasisBench } from '../bases/bench.ts';
import type { Characters } from '../characters/characters.ts';
import type { StoreContext } from '../context.ts';
import type { FormActions } from '../form/actions.ts';
import type { createKeptActions } from '../kept/actions.ts';
import type { Probe } from '../kinds/probe/probe.ts';
import type { Questions } from '../kinds/study/study.ts';
import type { Models } from '../models/models.ts';
import type { ProblemFiles } from '../models/problem-files.ts';
import type { ExitSteps } from '../playground/exit-steps.ts';
import type { Playground } from '../playground/playground.ts';
import { createPublished, type Published } from '../runs/published.ts';
import type { Sweeps } from '../sweeps/sweeps.ts';
import type { createRunActions } from './run-actions.ts';

interface Others {
  form: FormActions;
  basis: ReturnType<typeof createBasisActions>;
  kept: ReturnType<typeof createKeptActions>;
  run: ReturnType<typeof createRunActions>;
  /** Opens the model that is wanted. */
  follow(): Promise<void>;
}

export function createLazyParts(context: StoreContext, { form, basis, kept, run, follow }: Others) {
  let questions: Promise<Questions> | null = null;
  let probe: Promise<Probe> | null = null;
  let models: Promise<Models> | null = null;
  let problemFiles: Promise<ProblemFiles> | null = null;
  let demos: Published | null = null;
  let basisBench: Promise<BasisBench> | null = null;
  let playground: Promise<Playground> | null = null;
  let exitSteps: Promise<ExitSteps> | null = null;
  let asker: Promise<Asker> | null = null;
  let characters: Promise<Characters> | null = null;
  let sweeps: Promise<Sweeps> | null = null;
  return {
    /** @param base the page's own address */
    published(base: string): Published {
      demos ??= createPublished(base, ENVIRONMENT_NAMES[0]);
      return demos;
    },

    openQuestions(base: string): Promise<Questions> {
      questions ??= import('../kinds/study/study.ts').then(({ createQuestions }) =>
        createQuestions({
          context,
          base,
          startSpec: run.startSpec,
          annotate: (id, changes) => kept.actions.annotate('run', id, changes),
        }),
      );
      return questions;
    },

    openProbe(): Promise<Probe> {
      probe ??= import('../kinds/probe/probe.ts').then(({ createProbe }) =>
        createProbe(context, {
          probes: () => kept.refreshList('probe'),
          artifacts: async () => void (await Promise.all([kept.refresh(), basis.refresh()])),
        }),
      );
      return probe;
    },

    openModels(): Promise<Models> {
      models ??= import('../models/models.ts').then(({ createModels }) =>
        createModels(context, (id) => form.setField('model', id)),
      );
      return models;
    },

    openBasisBench(): Promise<BasisBench> {
      basisBench ??= import('../bases/bench.ts').then(({ createBasisBench }) => createBasisBench(context, basis));
      return basisBench;
    },

    openPlayground(): Promise<Playground> {
      playground ??= import('../playground/playground.ts').then(({ createPlayground }) => createPlayground(context));
      return playground;
    },

    openExitSteps(): Promise<ExitSteps> {
      exitSteps ??= import('../playground/exit-steps.ts').then(({ createExitSteps }) => createExitSteps(context));
      return exitSteps;
    },

    openCharacters(): Promise<Characters> {
      characters ??= import('../characters/characters.ts').then(({ createCharacters }) => createCharacters(context));
      return characters;
    },

    openSweeps(): Promise<Sweeps> {
      sweeps ??= import('../sweeps/sweeps.ts').then(({ createSweeps }) =>
        createSweeps(context, (id, changes) => kept.actions.annotate('run', id, changes)),
      );
      return sweeps;
    },

    openAsker(): Promise<Asker> {
      asker ??= import('../agents/asker.ts').then(({ createAsker }) =>
        createAsker({ context, follow, loadEmbedded: async (id) => (await this.openModels()).loadEmbedded(id) }),
      );
      return asker;
    },

    openProblemFiles(): Promise<ProblemFiles> {
      problemFiles ??= import('../models/problem-files.ts').then(({ createProblemFiles }) =>
        createProblemFiles(context, (environment) => form.setField('environment', environment)),
      );
      return problemFiles;
    },
  };
}
