// T5 and T6 of the shown probe: two trainings, or four with LoRA, which can be started, stopped and resumed here, and their results.

import type { ProbeReport } from '../../experiments/kinds/probe/types.ts';
import type { LoadedProbe, ProbeTraining } from '../../lab/protocol/probe.ts';
import { commandOf } from '../../store/kinds/probe/command.ts';
import { TRAINING_FIELDS } from '../../store/kinds/probe/fields.ts';
import { DEFAULT_TRAINING } from '../../store/kinds/probe/form.ts';
import { linesCsv, overlapLines, rateLines } from '../../store/kinds/probe/trainings.ts';
import { StepFigure } from '../charts/StepFigure.tsx';
import { useLab, useProbe, useProbeActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Icon } from '../parts/Icon.tsx';
import { NumberFields } from '../parts/NumberInput.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { RateChart } from './ProbeCharts.tsx';
import { Progress } from './Progress.tsx';
import { RatioMap } from './RatioMap.tsx';
import { VerdictTable } from './Verdicts.tsx';

export function Trainings({ shown, report }: { shown: LoadedProbe; report: ProbeReport }) {
  return (
    <Section
      id="probe-trainings"
      title="Training runs"
      lead="T5: vanilla against erase, with a teacher. T6: the same, on a replayed pool."
      more="T5: half of every group from the teacher, Dr.GRPO. T6: the pool replayed with LoRA, and the same two trainings with it. What is trained already is not trained again."
    >
      {shown.record.ask ? (
        <TrainingForm shown={shown} />
      ) : (
        <p className="muted">
          A probe from a file lacks its settings, so nothing more can be trained from it. On the command line the
          trainings are <code>--trajectory 20</code>, with <code>--lora</code> for T6.
        </p>
      )}
      <Charts report={report} />
    </Section>
  );
}

function TrainingForm({ shown: { record } }: { shown: LoadedProbe }) {
  const probe = useProbeActions();
  const busy = useLab((state) => state.busy);
  const ready = useLab((state) => state.connection.status === 'ready');
  const training = useProbe((state) => state.training);
  const work = useProbe((state) => state.work);
  const problem = useProbe((state) => state.problem);
  const free = ready && !busy && work === null;
  const { ask } = record;
  const hasT6 = ask?.settings.adapter !== 'lora' && !ask?.settings.basisFile;
  const begin = (check: ProbeTraining['check']) => void probe.train(check);
  return (
    <form className="build-pool probe-form" aria-label="Training runs" onSubmit={(event) => event.preventDefault()}>
      <fieldset className="build-fields" disabled={work !== null}>
        <legend>Of every training</legend>
        <NumberFields fields={TRAINING_FIELDS} values={training} onChange={probe.setTraining} />
      </fieldset>
      <div className="kept-tools">
        <Button isLarge disabled={!free} onClick={() => begin('T5')}>
          <Icon name="play" size={14} />
          Train T5
        </Button>
        <Button isLarge disabled={!free || !hasT6} onClick={() => begin('T6')}>
          <Icon name="play" size={14} />
          Train T5 and T6
        </Button>
        {work?.check ? (
          <Button isLarge tone="danger" disabled={work.stopping} onClick={() => void probe.stop()}>
            <Icon name="stop" size={14} />
            Stop the training
          </Button>
        ) : null}
      </div>
      {hasT6 ? null : (
        <p className="muted">T6 compares LoRA with a probe that has the SVD adapter and a basis from pairs.</p>
      )}
      {work?.check ? <Progress label="The training runs" /> : null}
      {problem?.check ? <Problem problem={problem} /> : null}
      <details className="probe-commands">
        <summary>On the command line</summary>
        {(['T5', 'T6'] as const).map((check) => (
          <code key={check} className="probe-command">
            {commandOf(ask, { check, ...training }, DEFAULT_TRAINING)}
          </code>
        ))}
      </details>
    </form>
  );
}

function Charts({ report }: { report: ProbeReport }) {
  const { trajectories, lora } = report;
  if (!trajectories?.svd && !lora) return null;
  const overlaps = [
    { id: 'probe-overlap', title: 'Overlap, replay', of: report },
    ...(lora ? [{ id: 'probe-overlap-lora', title: 'Overlap, replay with LoRA', of: lora }] : []),
  ];
  const trained = [
    { label: 'vanilla', trajectory: trajectories?.svd ?? null },
    { label: 'vanilla with LoRA', trajectory: trajectories?.lora ?? null },
  ];
  return (
    <>
      {lora ? (
        <details className="probe-lora">
          <summary>The seven checks with LoRA</summary>
          <VerdictTable verdicts={lora.verdicts} label="Checks with LoRA" name="lora-verdict" />
        </details>
      ) : null}
      <div className="charts two">
        {trajectories ? <RateChart lines={rateLines(trajectories)} /> : null}
        {overlaps.map(({ id, title, of }) => {
          const lines = overlapLines(of);
          return (
            <StepFigure
              key={id}
              id={id}
              title={title}
              about="Mean over the modules of ‖relu(V g)‖/‖g‖, before and after projection, and of the step that the adapter parameters took."
              yLabel="overlap"
              lines={lines}
              steps={of.projected.length}
              csv={() => linesCsv(lines)}
            />
          );
        })}
      </div>
      {trained.map(({ label, trajectory }) =>
        trajectory ? <RatioMap key={label} trajectory={trajectory} label={label} /> : null,
      )}
    </>
  );
}
