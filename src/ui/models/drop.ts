// Files and folders that are dropped anywhere on the page. A model or an adapter opens the Models view; any other file opens the view of
// its reader, if the reader has one. Loaded with the first drop.
import { plural } from '../../experiments/analysis/words.ts';
import { droppedFolder, isAdapterDrop, isModelDrop, pickedFolder } from '../../store/models/drop.ts';
import type { Sent } from '../../store/page/dropped-files.ts';
import type { Lab } from '../../store/page/lab-store.ts';
import { goAfterRedraw, goInLab } from '../parts/PlaceLink.tsx';
import { openView } from '../parts/view.ts';

type OpenScenario = (file: File) => Promise<void>;

/** @param openScenario reads a scenario in its view. The button of another view has none, and states where a scenario can be opened. */
export async function dropFiles(lab: Lab, files: File[], openScenario?: OpenScenario): Promise<void> {
  const names = files.map(({ name }) => name);
  if (isModelDrop(names) || isAdapterDrop(names)) {
    const { name, files: inside } = pickedFolder(files);
    toModels(lab, name, inside);
    await (await lab.openModels()).chooseFiles(name, inside);
    return;
  }
  const { log } = lab.store.getState();
  const sent = await lab.dropFiles(files);
  for (const { reader, file } of sent)
    if (reader !== 'scenario') show(reader, lab.store.getState().log !== log);
    else if (openScenario) {
      openView('agents');
      await openScenario(file);
    } else
      lab.tell('bad', `${file.name} was not opened: this is a scenario of agents.`, {
        remedy: 'Drop it anywhere on the page, or open it under Playground, Agents.',
      });
}

/** Readers without a view report the result in a notice. */
function show(reader: Sent['reader'], isLogOpen: boolean): void {
  if (reader === 'log' && isLogOpen) goInLab('rollouts');
  if (reader === 'sweep') openView('sweeps');
  if (reader === 'problems') openView('problems');
  if (reader !== 'table') return;
  openView('pools');
  goAfterRedraw('data-sets');
}

export async function dropFolder(
  lab: Lab,
  entry: FileSystemDirectoryEntry,
  openScenario?: OpenScenario,
): Promise<void> {
  let folder: Awaited<ReturnType<typeof droppedFolder>>;
  try {
    folder = await droppedFolder(entry);
  } catch (error) {
    lab.tell('bad', `${entry.name} cannot be read (${error instanceof Error ? error.message : String(error)}).`, {
      remedy: 'Choose it with “Choose a folder” under Models.',
    });
    return;
  }
  if (!folder) {
    lab.tell('bad', `${entry.name} holds thousands of files.`, { remedy: 'Drop the model’s own folder.' });
    return;
  }
  const paths = folder.files.map(({ path }) => path);
  if (!isModelDrop(paths) && !isAdapterDrop(paths) && !paths.includes('config.json')) {
    await dropInside(lab, folder, openScenario);
    return;
  }
  toModels(lab, folder.name, folder.files);
  await (await lab.openModels()).chooseFiles(folder.name, folder.files);
}

function toModels(lab: Lab, name: string, inside: readonly { path: string }[]): void {
  openView('models');
  if (isAdapterDrop(inside.map(({ path }) => path))) return;
  const files = inside.length;
  lab.tell('info', `${name}: ${plural(files, 'file')} of a model. What they hold is listed here, under Models.`);
}

/** File name endings that the lab reads. Other files of a folder (a README, an image) are ignored. */
const READ = /\.(jsonl?|ndjson|gz|zip|eval|parquet|safetensors)$/i;

/** The files of a folder without a model: the parts of a pool, or a basis beside its notes. */
async function dropInside(
  lab: Lab,
  { name, files }: { name: string; files: readonly { path: string; file: File }[] },
  openScenario?: OpenScenario,
): Promise<void> {
  const known = files.filter(({ path }) => READ.test(path) && !path.split('/').some((part) => part.startsWith('.')));
  if (known.length > 0)
    return dropFiles(
      lab,
      known.map(({ file }) => file),
      openScenario,
    );
  lab.tell(
    'bad',
    `${name} holds no file that the lab reads, and no model: ${plural(files.length, 'file')} without a config.json.`,
    {
      remedy:
        'A model’s folder has config.json, safetensors and a tokenizer, an adapter’s has adapter_config.json and adapter_model.safetensors.',
    },
  );
}
