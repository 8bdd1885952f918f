// Summary of the settings dialog while it is closed: the environment's size in one line, the settings that differ from the preset with a
// button that resets them, and every value that has an error.
import { FIELD_INFO } from '../../store/draft.ts';
import { changedSettings } from '../../store/form/changed.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';

/** Maximum number of settings that the line names. */
const MOST_NAMED = 4;

export function ChangedSettings({ onOpen }: { onOpen: () => void }) {
  const lab = useLabActions();
  const draft = useLab((state) => state.draft);
  const errors = useLab((state) => state.check.fields);
  const changed = changedSettings(draft);
  const wrong = FIELD_INFO.filter(({ name }) => errors[name]);
  const shortText = (text: string) => (text.length > 18 ? `${text.slice(0, 17)}…` : text === '' ? 'empty' : text);
  const more = changed.length - MOST_NAMED;
  return (
    <div className="changed-settings">
      <div className="changed-head">
        <p className="help">
          Preset <b>{draft.preset}</b>, {draft.fields.steps.trim()} steps
        </p>
        <Button label="All settings" aria-haspopup="dialog" onClick={onOpen} />
      </div>
      {changed.length > 0 ? (
        <p className="help changed-line">
          <b>{changed.length === 1 ? '1 setting changed' : `${changed.length} settings changed`}:</b>{' '}
          {changed
            .slice(0, MOST_NAMED)
            .map(({ name, label }) => `${label} ${shortText(draft.fields[name].trim())}`)
            .join(', ')}
          {more > 0 ? ` and ${more} more` : ''}.{' '}
          <button type="button" className="reset" onClick={lab.resetSettings}>
            Reset
          </button>
        </p>
      ) : null}
      {wrong.length > 0 ? (
        <div className="callout bad" role="alert">
          {wrong.map(({ name, label }) => (
            <p key={name}>
              <b>{label}:</b> {errors[name]}
            </p>
          ))}
          <Button label="Correct it" onClick={onOpen} />
        </div>
      ) : null}
    </div>
  );
}
