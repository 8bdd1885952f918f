// A third-party data set: chosen, shown by its first rows, mapped column by column, and stored as problems with checks or as a teacher
// pool, or saved as prompts with instructions.
import { type FormEvent, useState } from 'react';
import type { Preview } from '../../environments/datasets/convert.ts';
import { TABLE_TARGETS, type TableReport, type TableTarget } from '../../lab/protocol/tables.ts';
import { type DataSetsState, missingIn } from '../../store/models/data-sets.ts';
import { repoError } from '../../store/models/models.ts';
import { useDataSetActions, useDataSets, useLab, useLabActions, useProblemFileActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { ChoiceField, plainOptions } from '../parts/Choice.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { saveFile } from '../parts/DownloadButton.tsx';
import { FileButton } from '../parts/FileButton.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { TextField } from '../parts/TextField.tsx';

export default function DataSets() {
  const actions = useDataSetActions();
  const ready = useLab((state) => state.connection.status === 'ready');
  const { table, problem, work, source } = useDataSets((state) => state);
  return (
    <Section
      id="data-sets"
      title="Data sets"
      lead="Rows of a table become problems with checks, a teacher pool, or prompts with instructions."
      more="Only the needed rows and columns of a file or of a Hugging Face data set are read. Nothing is kept until you choose to keep it."
      actions={
        <FileButton
          label="Open a data set"
          what="Data set"
          accept=".parquet,.jsonl,.json,.gz"
          onFiles={([file]) => void actions.open({ file, name: file.name })}
        />
      }
    >
      <HubSet disabled={!ready} />
      <Problem problem={problem} />
      {work === null ? null : (
        <p role="status">
          Reading … <Button label="Stop" onClick={() => void actions.stop()} />
        </p>
      )}
      {table ? (
        <OpenTable table={table} />
      ) : source === null ? (
        <p className="muted">Parquet, JSON lines (.gz too) or a JSON list.</p>
      ) : null}
    </Section>
  );
}

function HubSet({ disabled }: { disabled: boolean }) {
  const actions = useDataSetActions();
  const [dataset, setDataset] = useState('');
  const [split, setSplit] = useState('train');
  const [config, setConfig] = useState('');
  const [name, revision = 'main'] = dataset.trim().split('@');
  const error = name === '' ? null : repoError(name);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!disabled && name !== '' && error === null)
      void actions.open({ dataset: name, revision, split: split.trim(), config: config.trim() || null });
  }
  return (
    <details className="fold">
      <summary>From the Hugging Face Hub</summary>
      <form onSubmit={submit} aria-label="Data set of the Hub">
        <div className="build-fields">
          <TextField
            label="Data set"
            spellCheck={false}
            autoCapitalize="off"
            placeholder="openai/gsm8k"
            value={dataset}
            error={error}
            onChange={setDataset}
          />
          <TextField label="Split" spellCheck={false} value={split} onChange={setSplit} />
          <TextField label="Configuration, if it has several" spellCheck={false} value={config} onChange={setConfig} />
        </div>
        <Button label="Read its first rows" type="submit" disabled={disabled} />
      </form>
    </details>
  );
}

const TARGET_WORDS: Readonly<Record<TableTarget, string>> = {
  custom: 'Problems with checks',
  instructions: 'Prompts with instructions',
  pool: 'A teacher pool',
};

function OpenTable({ table }: { table: TableReport }) {
  const actions = useDataSetActions();
  const { target, preview } = useDataSets((state) => state);
  const { name, columns, rows } = table;
  return (
    <section className="build-pool" aria-label={name}>
      <p>
        <b>{name}</b>{' '}
        <span className="muted num">
          {rows === null ? '' : `${rows} rows · `}
          {columns.length} columns
        </span>{' '}
        <Button label="Close" onClick={actions.close} aria-label={`Close ${name}`} />
      </p>
      {preview ? <MappedRows preview={preview} /> : <UnmappedRows table={table} />}
      <div className="build-fields">
        <ChoiceField
          label="The rows become"
          value={target}
          options={TABLE_TARGETS.map((one) => [one, TARGET_WORDS[one]] as const)}
          onChange={(one) => void actions.choose(one)}
        />
        <Columns table={table} />
        {target === 'custom' ? <Checks /> : null}
      </div>
      <Keep />
    </section>
  );
}

const UnmappedRows = ({ table: { columns, first } }: { table: TableReport }) => (
  <DataTable
    label="First rows"
    isNamed
    columns={columns.map((head, i) => ({ head, cell: (row: string[]) => row[i], className: '' }))}
    rows={first}
  />
);

function MappedRows({ preview: { head, rows, unused } }: { preview: Preview }) {
  return (
    <>
      <DataTable
        label="First rows as they are read"
        isNamed
        columns={head.map(({ field, column }, i) => ({
          head: field === column ? field : `${field} ← ${column}`,
          cell: (row: readonly string[]) => row[i],
          className: '',
        }))}
        rows={rows}
      />
      {unused.length > 0 ? <p className="muted">Nothing takes {unused.join(', ')}.</p> : null}
    </>
  );
}

function Columns({ table }: { table: TableReport }) {
  const actions = useDataSetActions();
  const { target, map } = useDataSets((state) => state);
  const options = [['', 'no column'] as const, ...plainOptions(table.paths)];
  return table.targets[target].fields.map(({ name, about, isNeeded }) => (
    <ChoiceField
      key={name}
      label={isNeeded ? `${name} (needed)` : name}
      help={about}
      value={map[name] ?? ''}
      options={options}
      onChange={(column) => void actions.assign(name, column)}
    />
  ));
}

const CHECK_WORDS: readonly (readonly [DataSetsState['check'], string])[] = [
  ['number', 'the same number'],
  ['equals', 'the same text'],
  ['contains', 'a text that contains it'],
];

function Checks() {
  const actions = useDataSetActions();
  const { check, flawed } = useDataSets((state) => state);
  return (
    <>
      <ChoiceField
        label="An answer is right with"
        value={check}
        options={CHECK_WORDS}
        onChange={(one) => actions.change({ check: one })}
      />
      <TextField
        label="Paid by another check (JSON)"
        spellCheck={false}
        placeholder='{"kind": "regex", "pattern": "[0-9]"}'
        help="If empty, right answers are paid."
        value={flawed}
        onChange={(text) => actions.change({ flawed: text })}
      />
    </>
  );
}

const KEEP_WORDS: Readonly<Record<TableTarget, string>> = {
  custom: 'Keep as problems',
  instructions: 'Save the prompts',
  pool: 'Keep as a pool',
};

function Keep() {
  const lab = useLabActions();
  const actions = useDataSetActions();
  const files = useProblemFileActions();
  const { table, target, map, dropNull, work } = useDataSets((state) => state);
  const missing = missingIn({ table, target, map });

  async function keep(): Promise<void> {
    const made = await actions.convert();
    if (!made || !table) return;
    const name = `${table.name
      .split('/')
      .at(-1)
      ?.replace(/\.\w+(\.gz)?$/, '')}.jsonl`;
    const left = made.dropped > 0 ? ` ${made.dropped} rows with a null were left out.` : '';
    const cut = made.isCut ? ' The table has more rows than were read.' : '';
    lab.tell('good', `${made.taken} rows were read.${left}${cut}`);
    if (target === 'custom') await files.importFile(made.file, name);
    else if (target === 'pool') await lab.importPool([new File([made.file], name)]);
    else saveFile(name, made.file);
  }

  return (
    <div className="kept-tools">
      <label>
        <input
          type="checkbox"
          checked={dropNull}
          onChange={({ target: box }) => actions.change({ dropNull: box.checked })}
        />{' '}
        Leave out rows in which a needed field is null
      </label>
      <Button
        label={KEEP_WORDS[target]}
        tone="primary"
        disabled={missing.length > 0 || work !== null}
        title={missing.length > 0 ? `Choose a column for ${missing.join(', ')}` : undefined}
        onClick={() => void keep()}
      />
      {missing.length > 0 ? <span className="muted">Choose a column for {missing.join(', ')}.</span> : null}
    </div>
  );
}
