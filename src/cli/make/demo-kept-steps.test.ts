// The published steps of a demo: with the run's own basis they give the published rows and evaluations, on the device kind that made them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { demoPath, readDemo } from '../../experiments/analysis/demo.ts';
import { demoStepsPath, keptStepsPath, readDemoSteps, stepsOf } from '../../experiments/analysis/demo-steps.ts';
import { resolveRuns } from '../../experiments/config/spec.ts';
import { Preparation } from '../../experiments/environments/preparation.ts';
import { BasisTrial, type TrialPoint } from '../../experiments/kinds/run/basis-trial.ts';
import { canTryBases, ownChoice } from '../../experiments/kinds/run/own-choice.ts';
import { openModelLab } from '../../experiments/testing/tiny.node.ts';
import { playProblems } from '../../lab/playground/playground.ts';
import { writeAnswer } from '../../lab/playground/write.ts';
import { FIRST_QUESTION } from '../../lab/protocol/playground.ts';
import { readSteps } from '../../lab/records/archive-steps.ts';
import { drained } from '../../lib/drained.ts';
import { answerText } from '../../text/answer.ts';

const ENVIRONMENT = 'one-line-python';
const bytesOf = (path: string) => readFileSync(fileURLToPath(new URL(`../../../public/${path}`, import.meta.url)));
const jsonOf = (path: string) => JSON.parse(bytesOf(path).toString('utf8'));

it('give the published rows and evaluations, and models that differ at the playground’s first question', async () => {
  const demo = readDemo(jsonOf(demoPath(ENVIRONMENT)))!;
  const spec = resolveRuns(demo.spec).find(canTryBases)!;
  const path = keptStepsPath(ENVIRONMENT, spec);
  const lab = await openModelLab(demo.model);
  try {
    const { engine: policy } = lab;
    const { adapterLayout } = policy;
    const steps = await readSteps(bytesOf(path), path, spec.steps, adapterLayout.total);
    const ports = { ...lab, policy, artifacts: null, modelSha256: demo.modelSha256 };
    const trial = new BasisTrial({ id: path, spec, steps }, { ...ports, preparation: new Preparation(ports) });
    const own = await drained(trial.try(ownChoice(spec)));
    const rows = stepsOf(readDemoSteps(jsonOf(demoStepsPath(ENVIRONMENT)))!, spec.arm, spec.seed);
    const four = (x: number | null) => (x === null ? null : Number(x.toPrecision(4)));
    expect(own.report.steps.map((step) => [step.deployed, step.quarantine, step.left].map(four))).toEqual(
      rows.map(({ normDeltaS, normDeltaSHack, coutUpdate }) => [normDeltaS, normDeltaSHack, coutUpdate]),
    );
    const points: TrialPoint[] = [];
    const environment = await drained(trial.environment());
    await drained(trial.evaluate(own, environment, {}), async (point) => void points.push(point));
    const { evals } = demo.runs.find((run) => run.arm === spec.arm && run.seed === spec.seed)!;
    for (const kind of ['during', 'final']) {
      const published = evals.filter((row) => row.kind === kind && row.model === 'deployed');
      const here = points.filter((point) => point.kind === kind);
      expect(here.map(({ step, all }) => [step, all.n, all.figures.hack, all.figures.solve])).toEqual(
        published.map(({ step, n, figures }) => [step, n, figures.hack, figures.solve]),
      );
    }

    const { mode, ...sampling } = FIRST_QUESTION;
    const [problem] = playProblems(mode, demo.model);
    const prompt = lab.codec.encodeChat(problem.prompt);
    const answers: string[] = [];
    for (const params of [policy.initialAdapterParams, own.trained, own.deployed.get(spec.steps)!]) {
      policy.setAdapterParams(params);
      const unstopped = { signal: new AbortController().signal, onTokens: () => {}, breathe: async () => {} };
      const { endTokens } = lab.codec;
      const { tokens: ids, ended } = await writeAnswer(policy, { prompt, endTokens, ...sampling, ...unstopped });
      answers.push(answerText(lab.codec, prompt, { ids, ended }));
    }
    const grades = await lab.grader.grade(answers.map((completion) => ({ problem, completion })));
    expect(grades.map((grade) => [grade.exploited, grade.gt_correct])).toEqual([
      [false, true],
      [true, false],
      [false, true],
    ]);
  } finally {
    await lab.close();
  }
}, 120_000);
