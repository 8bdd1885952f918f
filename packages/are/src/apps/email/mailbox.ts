// Mails and their four folders, newest first.
import { indexError, keyError, valueError } from '../../python-error.ts';
import type { Value } from '../../value.ts';
import { bool, copyOf, list, nullable, num, type Reader, record, str, text, withDefault } from '../support/state.ts';

export const FOLDERS = ['INBOX', 'SENT', 'DRAFT', 'TRASH'] as const;
export type FolderName = (typeof FOLDERS)[number];

export type Email = {
  sender: string;
  recipients: string[];
  subject: string;
  content: string;
  email_id: string;
  /** Id of the mail that this one answers or forwards. */
  parent_id: string | null;
  cc: string[];
  /** File name → contents in base64. */
  attachments: Record<string, string> | null;
  /** Seconds since 1970. */
  timestamp: number;
  is_read: boolean;
};

/** Requires an "@" in each address; the reference checks no more. */
export function validEmail(email: Email): Email {
  for (const address of [email.sender, ...email.recipients, ...email.cc])
    if (!address.includes('@')) throw valueError(`Invalid email address: ${address}`);
  return email;
}

const isFolder = (name: string): name is FolderName => (FOLDERS as readonly string[]).includes(name);

/** A folder's name as tools give it, in any case. */
export function folderOf(name: string): FolderName {
  const folder = name.toUpperCase();
  if (!isFolder(folder)) throw keyError(folder);
  return folder;
}

/** A folder's name as the environment's tools give it, in exact spelling. */
export function exactFolder(name: string): FolderName {
  if (!isFolder(name)) throw valueError(`'${name}' is not a valid EmailFolderName`);
  return name;
}

export class Folder {
  emails: Email[] = [];

  constructor(readonly name: FolderName) {}

  add(email: Email): void {
    this.emails = [...this.emails, email].sort((a, b) => b.timestamp - a.timestamp);
  }

  remove(email: Email): void {
    this.emails = this.emails.filter((other) => other !== email);
  }

  find(id: string): Email | undefined {
    return this.emails.find(({ email_id }) => email_id === id);
  }

  get(id: string): Email {
    const email = this.find(id);
    if (!email) throw valueError(`Email with id ${id} does not exist`);
    return email;
  }

  /** A negative index counts from the end. An index one past the last raises another error than two past it, as in the reference. */
  at(index: number): Email {
    if (index > this.emails.length) throw valueError(`Email with index ${index} does not exist`);
    const email = this.emails.at(index);
    if (!email) throw indexError('list index out of range');
    return email;
  }

  page(offset: number, limit: number): Value {
    const total = this.emails.length;
    if (offset < 0) throw valueError('Offset must be non-negative');
    if (offset > total) throw valueError('Offset must be less than the number of emails');
    const end = Math.min(offset + limit, total);
    return {
      emails: copyOf(this.emails.slice(offset, end)),
      emails_range: [offset, end],
      total_returned_emails: end - offset,
      total_emails: total,
    };
  }
}

const attachments: Reader<Record<string, string>> = (value, at) =>
  record(Object.fromEntries(Object.keys((value as object | undefined) ?? {}).map((name) => [name, str])))(value, at);

export const readEmail = record({
  sender: withDefault(str, 'user@meta.com'),
  recipients: (value, at) => nullable(list(str))(value, at) ?? [],
  subject: withDefault(text, ''),
  content: withDefault(text, ''),
  email_id: str,
  parent_id: nullable(str),
  cc: (value, at) => nullable(list(str))(value, at) ?? [],
  attachments: withDefault(nullable(attachments), {}),
  timestamp: num,
  is_read: withDefault(bool, false),
});
