// The probe's form: what it replays, the basis that it measures with, its cost, and the progress of a running probe.

import { type FormEvent, useId } from 'react';
import { PAIR_SETS } from '../../environments/code/pair-sets/table.ts';
import { TEACHER_WORDS } from '../../experiments/kinds/probe/spec.ts';
import { bytesText, duration } from '../../lib/numbers.ts';
import { FIELD_INFO } from '../../store/draft.ts';
import { ASK_FIELDS, CORRECT_FIELD } from '../../store/kinds/probe/fields.ts';
import { checkProbe, costOf, PROBE_FIELDS, type ProbeField } from '../../store/kinds/probe/form.ts';
import { poolOptions } from '../../store/pools/words.ts';
import { useLab, useProbe, useProbeActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField, Options } from '../parts/Choice.tsx';
import { Icon } from '../parts/Icon.tsx';
import { NumberFields } from '../parts/NumberInput.tsx';
import { OptionField } from '../parts/OptionField.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { Progress } from './Progress.tsx';

export function ProbeForm() {
  const probe = useProbeActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const busy = useLab((state) => state.busy);
  const form = useProbe((state) => state.form);
  const work = useProbe((state) => state.work);
  // A problem of a training is shown beside the training, if a probe is shown.
  const problem = useProbe(({ problem, shown }) => (problem?.check && shown ? null : problem));
  const errors = checkProbe(form);
  const canStart = ready && !busy && work === null && Object.keys(errors).length === 0;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (canStart) void probe.start();
  }

  return (
    <Section
      id="probe"
      title="Probe"
      lead="Does the hack basis see hacking before any RL is run?"
      more="A teacher’s hacks are replayed through the model, one problem a step, plain and projected. Each sample’s gradient is compared with the basis."
    >
      <form className="build-pool probe-form" onSubmit={submit} aria-label="Probe">
        <fieldset className="build-fields" disabled={work !== null}>
          <legend>Teacher</legend>
          <TeacherField />
          {form.teacher === 'templates' ? (
            <NumberFields
              fields={[{ ...CORRECT_FIELD, ...(errors.correct ? { help: errors.correct } : {}) }]}
              values={form}
              onChange={probe.set}
            />
          ) : null}
          <NumberFields fields={ASK_FIELDS} values={form} onChange={probe.set} />
        </fieldset>
        <fieldset className="build-fields probe-settings" disabled={work !== null}>
          <legend>Basis and step</legend>
          <BasisField />
          {PROBE_FIELDS.map((name) => (
            <SettingField key={name} name={name} error={errors[name]} />
          ))}
        </fieldset>
        <Cost />
        <div className="kept-tools">
          <Button icon="play" label="Run the probe" isLarge tone="primary" type="submit" disabled={!canStart} />
          {work && !work.check ? (
            <Button isLarge tone="danger" disabled={work.stopping} onClick={() => void probe.stop()}>
              <Icon name="stop" size={14} />
              Stop
            </Button>
          ) : null}
        </div>
        {busy ? <p className="muted">The model is training; a probe can be run when that has ended.</p> : null}
        {work && !work.check ? <Progress label="The probe" /> : null}
      </form>
      <Problem problem={problem} />
    </Section>
  );
}

function Cost() {
  const form = useProbe((state) => state.form);
  const perSample = useProbe((state) => state.perSample);
  const device = useLab((state) => state.device?.name ?? '');
  const { gradients, seconds, bytes: size } = costOf(form, perSample);
  return (
    <p className="num" data-testid="probe-cost">
      {2 * form.problems} steps, {gradients.toLocaleString('en-GB')} gradients of single completions
      {seconds === null ? '' : `, about ${duration(seconds)} on ${device}`}; about {bytesText(size)} are kept. Starting
      a run stops the probe; it keeps its steps and can continue.
    </p>
  );
}

function TeacherField() {
  const probe = useProbeActions();
  const teacher = useProbe((state) => state.form.teacher);
  const pools = useLab((state) => state.pools);
  const options = poolOptions(pools, teacher === 'templates' || teacher === 'onnx' ? '' : teacher);
  return (
    <ChoiceField
      label="Pool"
      className="probe-pool"
      value={teacher}
      options={[
        ['onnx', TEACHER_WORDS],
        ...options.map(({ value, label }) => [value === '' ? 'templates' : value, label] as const),
      ]}
      onChange={(chosen) => probe.set({ teacher: chosen })}
      help="Built here by the embedded teacher. Other pools: Library → Data."
    />
  );
}

function BasisField() {
  const probe = useProbeActions();
  const basis = useProbe((state) => state.form.basis);
  const own = useLab((state) => state.pairSets);
  const bases = useLab((state) => state.bases);
  const sets = [
    ...PAIR_SETS.filter(({ models }) => models === 'any'),
    ...own.map(({ id: set, name }) => ({ id: set, label: name })),
  ];
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Basis from</label>
      <select
        id={id}
        value={basis}
        aria-describedby={`${id}-help`}
        onChange={(event) => probe.set({ basis: event.target.value })}
      >
        <optgroup label="Pairs">
          <Options of={sets.map(({ id: set, label }) => [`set ${set}`, label] as const)} />
        </optgroup>
        {bases.length > 0 ? (
          <optgroup label="Kept bases">
            <Options of={bases.map(({ id: file, name }) => [`file ${file}`, name] as const)} />
          </optgroup>
        ) : null}
      </select>
      <p className="help" id={`${id}-help`}>
        Extracted on the untrained model.
      </p>
    </div>
  );
}

function SettingField({ name, error }: { name: ProbeField; error: string | undefined }) {
  const probe = useProbeActions();
  const value = useProbe((state) => state.form.fields[name]);
  const info = FIELD_INFO.find((field) => field.name === name)!;
  return <OptionField {...{ info, value, error }} set={(text) => probe.setField(name, text)} />;
}
