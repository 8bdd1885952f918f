// The mail client (ARE's EmailClientV2, and Mail, which differs in the order of its tools): a mailbox of four folders, and attachments
// through the device's files.
import { AppBase } from '../../app.ts';
import { fromBase64, toBase64 } from '../../base64.ts';
import { attributeError, PythonError, valueError } from '../../python-error.ts';
import type { Tool } from '../../types.ts';
import type { Values } from '../../value.ts';
import { asDict, copyOf, dict, list, num, record, str } from '../support/state.ts';
import { baseName, joinPath } from '../support/text.ts';
import { type Email, FOLDERS, Folder, type FolderName, readEmail, validEmail } from './mailbox.ts';

const VIEW_LIMIT = 5;
const USER = 'user@meta.com';

const readState = record({
  user_email: str,
  view_limit: num,
  folders: dict(record({ folder_name: str, emails: list(readEmail) })),
});

/** Fields that a new mail needs; the others follow from its author and the time. */
type Draft = Pick<Email, 'sender' | 'recipients' | 'subject' | 'content'> & Partial<Email>;

export class EmailApp extends AppBase {
  userEmail = USER;
  viewLimit = VIEW_LIMIT;
  readonly folders = new Map<FolderName, Folder>(FOLDERS.map((name) => [name, new Folder(name)]));

  constructor(
    className: string,
    name: string | undefined,
    readonly tools: readonly Tool[],
  ) {
    super(className, name);
  }

  getState(): Values {
    const folders = asDict(this.folders, ({ name, emails }) => ({ folder_name: name, emails: copyOf(emails) }));
    return { user_email: this.userEmail, view_limit: this.viewLimit, folders };
  }

  /** Mails keep the file's order; folders missing from it stay as they are. */
  loadState(state: Values): void {
    const { user_email, view_limit, folders } = readState(state, '');
    const loaded = [...folders.values()].map(({ folder_name, emails }) => {
      const folder = this.folders.get(folder_name as FolderName);
      if (!folder) throw attributeError(`type object 'EmailFolderName' has no attribute '${folder_name}'`);
      return { folder, emails: emails.map(validEmail) };
    });
    for (const { folder, emails } of loaded) folder.emails = emails;
    this.userEmail = user_email;
    this.viewLimit = view_limit;
  }

  reset(): void {
    for (const folder of this.folders.values()) folder.emails = [];
  }

  folder(name: FolderName): Folder {
    return this.folders.get(name) as Folder;
  }

  /** Adds a new mail, dated now, to a folder. */
  put(folder: FolderName, draft: Draft, paths: readonly string[] = []): string {
    const email = validEmail({
      email_id: this.draws.id(),
      parent_id: null,
      cc: [],
      attachments: {},
      timestamp: this.world.now(),
      is_read: false,
      ...draft,
    });
    for (const path of paths) this.attachFile(email, path);
    this.folder(folder).add(email);
    return email.email_id;
  }

  private attachFile(email: Email, path: string): void {
    const files = this.world.find('FILE_SYSTEM');
    if (!files?.exists(path)) throw valueError(`File does not exist: ${path}`);
    email.attachments = { ...email.attachments, [baseName(path)]: toBase64(files.read(path)) };
  }

  /** Saves a mail's attachments in a folder of the device; returns their paths. */
  download(email: Email, folder: string): string[] {
    const files = this.world.find('FILE_SYSTEM');
    return Object.entries(email.attachments ?? {}).map(([name, contents]) => {
      const path = joinPath(folder, name);
      if (!files) throw new PythonError('FileNotFoundError', `[Errno 2] No such file or directory: '${path}'`);
      files.write(path, fromBase64(contents));
      return path;
    });
  }

  /** Recipient of a reply: the sender, or if that is the user, the sender of the mail that it replied to, and so on. */
  answeredPerson(email: Email): string {
    const seen = new Set<Email>();
    let first = email;
    while (first.sender === this.userEmail && first.parent_id) {
      const parentId: string = first.parent_id;
      seen.add(first);
      const parent = [...this.folders.values()].map((folder) => folder.find(parentId)).find((found) => found);
      // A thread that refers back to itself would loop forever in the reference.
      if (!parent || seen.has(parent)) throw valueError(`Email with id ${parentId} not found`);
      first = parent;
    }
    return first.sender;
  }
}
