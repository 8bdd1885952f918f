// Form that builds a teacher pool: its teacher, its problems, and how it is sampled. Problems are chosen by a run's settings, so
// that the pool fits the run that will use it.
import { type FormEvent, useState } from 'react';
import { MODES, type Mode } from '../../environments/code/types.ts';
import { DEFAULT_POOL_BUILD, type PoolBuild } from '../../experiments/pools/build.ts';
import type { PoolTeacher } from '../../lab/protocol/pools.ts';
import { duration } from '../../lib/numbers.ts';
import { playRunWords } from '../../store/playground/asked-run.ts';
import { POOL_PROBLEM_FIELDS, POOL_SAMPLING_FIELDS } from '../../store/pools/fields.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField } from '../parts/Choice.tsx';
import { NumberFields } from '../parts/NumberInput.tsx';
import { useLatest } from '../parts/use-loaded.ts';

export default function BuildPool({ onDone }: { onDone: () => void }) {
  const lab = useLabActions();
  const ready = useLab((state) => state.connection.status === 'ready' && !state.busy);
  const work = useLab((state) => state.poolWork);
  const wanted = useLab((state) => state.check.spec);
  const [build, setBuild] = useState<PoolBuild>(DEFAULT_POOL_BUILD);
  const [teacher, setTeacher] = useState<PoolTeacher>({ kind: 'base' });
  const set = (changes: Partial<PoolBuild>) => setBuild({ ...build, ...changes });
  const writes = teacher.kind !== 'templates';
  const canBuild = ready && work === null && build.modes.length > 0 && build.honestShare < 1;

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (canBuild && (await lab.buildPool(teacher, build))) onDone();
  }

  return (
    <form className="build-pool" onSubmit={(event) => void submit(event)} aria-label="Build a pool">
      <fieldset disabled={work !== null}>
        <TeacherField teacher={teacher} onChange={setTeacher} />
      </fieldset>
      <fieldset className="build-fields" disabled={work !== null}>
        <legend>Problems</legend>
        <ModesField modes={build.modes} onChange={(modes) => set({ modes })} />
        <NumberFields fields={POOL_PROBLEM_FIELDS} values={build} onChange={set} />
        <Button
          label="As in the form"
          disabled={!wanted}
          onClick={() => {
            const run = lab.poolBuildOfForm();
            if (run) set(run);
          }}
        />
      </fieldset>
      {writes ? (
        <fieldset className="build-fields" disabled={work !== null}>
          <legend>Sampling</legend>
          <NumberFields fields={POOL_SAMPLING_FIELDS} values={build} onChange={set} />
          <label className="check">
            <input
              type="checkbox"
              checked={build.withTokens}
              onChange={(event) => set({ withTokens: event.target.checked })}
            />
            <span>Keep token ids and log-probabilities</span>
          </label>
        </fieldset>
      ) : null}
      <p className="muted">
        A run takes its rows by problem: give it the same modes, honest share, problems and data seed. The grader’s
        labels are frozen with its version. Starting a run ends the build.
      </p>
      <div className="kept-tools">
        <Button icon="play" label="Build" isLarge tone="primary" type="submit" disabled={!canBuild} />
        <Button label="Cancel" isLarge onClick={work ? () => void lab.cancelPool() : onDone} />
      </div>
      {work ? <BuildProgress /> : null}
    </form>
  );
}

function BuildProgress() {
  const work = useLab((state) => state.poolWork);
  if (!work) return null;
  const left = work.etaSeconds === null ? '' : `, ${duration(work.etaSeconds)} left`;
  const text = work.total === 0 ? 'Preparing' : `${work.done} of ${work.total} rows${left}`;
  return (
    <div className="progress">
      <div className="progress-line">
        <span className="progress-text num" role="status">
          {text}
        </span>
      </div>
      <progress value={work.total === 0 ? undefined : work.done / work.total} max={1} aria-label="Building the pool" />
    </div>
  );
}

function ModesField({ modes, onChange }: { modes: readonly Mode[]; onChange: (modes: Mode[]) => void }) {
  return (
    <fieldset className="field whole">
      <legend>Loophole modes</legend>
      <div className="chips">
        {MODES.map((mode) => (
          <label key={mode} className="chip">
            <input
              type="checkbox"
              checked={modes.includes(mode)}
              // The table's order is preserved, because the order of modes determines which problem gets which mode.
              onChange={() => onChange(MODES.filter((other) => (other === mode) !== modes.includes(other)))}
            />
            {mode}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

const WROTE = 'The model writes, the sandboxed grader labels; all rows are kept.';
const TEACHER_HELP: Record<PoolTeacher['kind'], string> = {
  templates: 'Five known hacks per hackable problem; the default without a pool.',
  onnx: 'Embedded teacher, finetuned to hack. Fetches ONNX Runtime (15–30 MB) once.',
  base: WROTE,
  run: WROTE,
};

/** The option's value: `onnx`, `base`, `templates`, `trained:<run>` or `deployed:<run>`. */
function choiceOf(teacher: PoolTeacher): string {
  return teacher.kind === 'run' ? `${teacher.model}:${teacher.runId}` : teacher.kind;
}

function teacherOf(value: string): PoolTeacher {
  if (value === 'onnx' || value === 'base' || value === 'templates') return { kind: value };
  const at = value.indexOf(':');
  return { kind: 'run', runId: value.slice(at + 1), model: value.slice(0, at) === 'deployed' ? 'deployed' : 'trained' };
}

function TeacherField({ teacher, onChange }: { teacher: PoolTeacher; onChange: (teacher: PoolTeacher) => void }) {
  const lab = useLabActions();
  const kept = useLab((state) => state.kept.run);
  // Loaded again when the stored runs change, because they are among the choices.
  const runs = useLatest(() => lab.teacherRuns(), kept) ?? [];

  return (
    <ChoiceField
      label="Teacher"
      value={choiceOf(teacher)}
      options={[
        ['base', 'the loaded model as it is'],
        ['onnx', 'the embedded teacher (ONNX)'],
        ['templates', 'the environment’s templates'],
        ...runs.map((run) => [`trained:${run.runId}`, playRunWords(run)] as const),
        ...runs
          .filter(({ hasQuarantine }) => hasQuarantine)
          .map((run) => [`deployed:${run.runId}`, `${playRunWords(run)}, quarantine removed`] as const),
      ]}
      onChange={(choice) => onChange(teacherOf(choice))}
      help={TEACHER_HELP[teacher.kind]}
    />
  );
}
