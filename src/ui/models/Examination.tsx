// The report of `lab doctor` on the chosen model's folder and how the lab reads it. It is computed when it is unfolded.
import type { Examination, ExaminedText, ExaminedToken } from '../../lab/protocol/examination.ts';
import { bytesText } from '../../lib/numbers.ts';
import type { ChosenModel } from '../../store/models/state.ts';
import { useModelActions } from '../lab-context.ts';
import { DataTable } from '../parts/DataTable.tsx';
import { FactRow } from '../parts/Fact.tsx';

export function ExaminationFold({ chosen }: { chosen: ChosenModel }) {
  const models = useModelActions();
  const { examination } = chosen;
  const ask = (isOpen: boolean) => {
    if (isOpen && !examination) void models.examineChosen();
  };
  return (
    <details className="fold" onToggle={(event) => ask(event.currentTarget.open)}>
      <summary>What is in the folder, and what the model is shown</summary>
      {examination ? <Report report={examination} /> : <p role="status">Reading its files …</p>}
    </details>
  );
}

function Report({ report }: { report: Examination }) {
  const { files, fields, notes, refusals, text } = report;
  return (
    <div className="model-examination" data-testid="examination">
      {refusals.map(({ of, message, remedy }) => (
        <p className="callout bad" key={message}>
          <b>
            {of}: {message}
          </b>{' '}
          {remedy}
        </p>
      ))}
      {notes.length > 0 ? (
        <ul className="warnings note">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      ) : null}
      <DataTable
        label="Files of the folder"
        isNamed
        rows={files}
        columns={[
          { head: 'File', cell: ({ path }) => path },
          { head: 'Bytes', cell: ({ bytes }) => bytesText(bytes) },
          { head: 'In the lab', className: '', cell: ({ isRead }) => (isRead ? 'read' : 'left out') },
          { head: 'What it is', className: '', cell: ({ why }) => why },
        ]}
      />
      {fields.length > 0 ? (
        <DataTable
          label="Fields of config.json"
          isNamed
          rows={fields}
          columns={[
            { head: 'Field', cell: ({ name }) => name.slice(0, 60) },
            { head: 'Value', className: 'mono', cell: ({ value }) => JSON.stringify(value).slice(0, 60) },
            { head: 'In the lab', className: '', cell: effectWords },
            { head: 'Why', className: '', cell: ({ why }) => why },
          ]}
        />
      ) : null}
      {text ? <Text text={text} /> : null}
    </div>
  );
}

function effectWords({ effect, refusal }: Examination['fields'][number]): string {
  if (refusal !== null) return 'refused';
  return effect === 'refused' ? 'changes nothing' : effect;
}

const tokenWords = (tokens: readonly ExaminedToken[]): string =>
  tokens.map(({ id, text }) => `${id} ${JSON.stringify(text)}`).join(', ');

function Text({ text }: { text: ExaminedText }) {
  const { begin, beginsInChat, ends, pad, vocabSize, template, knowsThinking, prompt } = text;
  return (
    <>
      <dl className="facts-table">
        <FactRow name="Vocabulary" className="num">
          {vocabSize.toLocaleString('en-GB')} tokens
        </FactRow>
        <FactRow name="A text begins with">
          {begin.length > 0 ? tokenWords(begin) : 'nothing'}
          {beginsInChat === null ? '' : `; a chat has it ${beginsInChat} times`}
        </FactRow>
        <FactRow name="An answer ends at">{tokenWords(ends)}</FactRow>
        <FactRow name="Padding">{tokenWords([pad])}</FactRow>
        <FactRow name="Chat template">
          {template ?? 'none'}
          {template && knowsThinking ? '; it knows thinking' : ''}
        </FactRow>
      </dl>
      <p className="note">
        A prompt {prompt.isChat ? 'by the chat template' : 'as plain text'}: the first {prompt.tokens.length} of{' '}
        {prompt.count} tokens, each with its id.
      </p>
      <ol className="model-prompt" aria-label="Tokens of the prompt">
        {prompt.tokens.map(({ id, text: words }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a token may come twice, and the list is drawn anew as a whole
          <li key={i}>
            <code>{JSON.stringify(words).slice(1, -1)}</code> <span className="muted num">{id}</span>
          </li>
        ))}
      </ol>
    </>
  );
}
