// A model dropped anywhere on the page opens the Models view, a log the rollouts; the lab handles all other files.
import { plural } from '../../experiments/analysis/words.ts';
import { droppedFolder, isAdapterDrop, isModelDrop, pickedFolder } from '../../store/models/drop.ts';
import type { Lab } from '../../store/page/lab-store.ts';
import { goInLab } from '../parts/PlaceLink.tsx';
import { openView } from '../parts/view.ts';

export async function dropFiles(lab: Lab, files: File[]): Promise<void> {
  const names = files.map(({ name }) => name);
  if (!isModelDrop(names) && !isAdapterDrop(names)) {
    const { log } = lab.store.getState();
    await lab.dropFiles(files);
    // A log is read where rollouts are.
    if (lab.store.getState().log !== log) goInLab('rollouts');
    return;
  }
  const { name, files: inside } = pickedFolder(files);
  toModels(lab, name, inside);
  await (await lab.openModels()).chooseFiles(name, inside);
}

export async function dropFolder(lab: Lab, entry: FileSystemDirectoryEntry): Promise<void> {
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
  toModels(lab, folder.name, folder.files);
  await (await lab.openModels()).chooseFiles(folder.name, folder.files);
}

function toModels(lab: Lab, name: string, inside: readonly { path: string }[]): void {
  openView('models');
  if (isAdapterDrop(inside.map(({ path }) => path))) return;
  const files = inside.length;
  lab.tell('info', `${name}: ${plural(files, 'file')} of a model. What they hold is listed here, under Models.`);
}
