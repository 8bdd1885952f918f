// The mail client's tools. Those that EmailClientV2 overrides are first in its list, as in the reference's registry.

import { valueError } from '../../python-error.ts';
import { toolsOf } from '../../tool.ts';
import type { Tool } from '../../types.ts';
import { formatDateTime, givenDateTime } from '../support/clock.ts';
import { copyOf } from '../support/state.ts';
import { holds, quotedList } from '../support/text.ts';
import { EmailApp } from './app.ts';
import { exactFolder, folderOf } from './mailbox.ts';

const FOLDER = { folder_name: { type: 'str', default: 'INBOX', about: 'INBOX, SENT, DRAFT or TRASH.' } } as const;
const ID = { email_id: { type: 'str', about: 'Id of the email.' } } as const;
const SENDER = { sender: { type: 'str', about: 'Address of the sender.' } } as const;
const RECIPIENTS = {
  recipients: { type: 'list[str] | None', default: null, about: 'Addresses of the recipients.' },
} as const;
const SUBJECT = { subject: { type: 'str', default: '', about: 'Subject of the email.' } } as const;
const CONTENT = { content: { type: 'str', default: '', about: 'Text of the email.' } } as const;
const PATHS = {
  attachment_paths: { type: 'list[str] | None', default: null, about: 'Paths of files to attach.' },
} as const;
/** The reference's default is the time at which its module was loaded; here it means the time of the call. */
const IMPORT_TIME = '<import-time now>';

const tool = toolsOf<EmailApp>();

const sendEmail = tool({
  name: 'send_email',
  operation: 'WRITE',
  returns: 'str',
  params: {
    ...RECIPIENTS,
    ...SUBJECT,
    ...CONTENT,
    cc: { type: 'list[str] | None', default: null, about: 'Addresses that get a copy.' },
    ...PATHS,
  },
  about: 'Sends an email and returns its id.',
  run: (app, { recipients, subject, content, cc, attachment_paths }) => {
    const draft = { sender: app.userEmail, recipients: [...(recipients ?? [])], subject, content, cc: [...(cc ?? [])] };
    return app.put('SENT', draft, attachment_paths ?? []);
  },
});

const downloadAttachments = tool({
  name: 'download_attachments',
  operation: 'WRITE',
  returns: 'list[str]',
  params: { ...ID, ...FOLDER, path_to_save: { type: 'str', default: 'Downloads/', about: 'Folder to save them in.' } },
  about: "Saves an email's attachments to files and returns their paths.",
  run: (app, { email_id, folder_name, path_to_save }) =>
    app.download(app.folder(folderOf(folder_name)).get(email_id), path_to_save),
});

const replyToEmail = tool({
  name: 'reply_to_email',
  operation: 'WRITE',
  returns: 'str',
  params: { ...ID, ...FOLDER, ...CONTENT, ...PATHS },
  about: 'Answers an email and returns the id of the answer.',
  run: (app, { email_id, folder_name, content, attachment_paths }) => {
    const email = app.folder(folderOf(folder_name)).get(email_id);
    const draft = {
      sender: app.userEmail,
      recipients: [app.answeredPerson(email)],
      subject: `Re: ${email.subject}`,
      content,
      parent_id: email.email_id,
    };
    return app.put('SENT', draft, attachment_paths ?? []);
  },
});

const replyFromUser = tool({
  name: 'reply_to_email_from_user',
  roles: ['env'],
  operation: 'WRITE',
  returns: 'str',
  params: { ...SENDER, ...ID, ...CONTENT, ...PATHS },
  about: 'Somebody answers an email that the user has sent to them.',
  run: (app, { sender, email_id, content, attachment_paths }) => {
    const email = app.folder('SENT').get(email_id);
    if (!email.recipients.includes(sender)) {
      const recipients = quotedList(email.recipients);
      throw valueError(`Sender ${sender} is not a recipient of the email, the recipients are ${recipients}`);
    }
    const draft = {
      sender,
      recipients: [app.userEmail],
      subject: `Re: ${email.subject}`,
      content,
      parent_id: email.email_id,
    };
    return app.put('INBOX', draft, attachment_paths ?? []);
  },
});

const sendToUserOnly = tool({
  name: 'send_email_to_user_only',
  roles: ['env'],
  operation: 'WRITE',
  isUnchecked: true,
  returns: 'str',
  params: { ...SENDER, ...SUBJECT, ...CONTENT },
  about: 'Somebody sends an email to the user alone.',
  run: (app, { sender, subject, content }) =>
    app.put('INBOX', { sender, recipients: [app.userEmail], subject, content }),
});

const createAndAdd = tool({
  name: 'create_and_add_email',
  roles: ['env'],
  operation: 'WRITE',
  isUnchecked: true,
  returns: 'str',
  params: { ...SENDER, ...RECIPIENTS, ...SUBJECT, ...CONTENT, ...FOLDER },
  about: 'Puts a new email into a folder.',
  run: (app, { sender, recipients, subject, content, folder_name }) =>
    app.put(exactFolder(folder_name), { sender, recipients: [...(recipients ?? [])], subject, content }),
});

const createWithTime = tool({
  name: 'create_and_add_email_with_time',
  roles: ['data'],
  operation: 'WRITE',
  logsAs: 'AGENT',
  isUnchecked: true,
  returns: 'str',
  params: {
    ...SENDER,
    ...RECIPIENTS,
    ...SUBJECT,
    ...CONTENT,
    email_time: { type: 'str', default: IMPORT_TIME, about: 'When it came, as YYYY-MM-DD HH:MM:SS.' },
    ...FOLDER,
  },
  about: 'Puts an email that came at a given time into a folder; it counts as read.',
  run: (app, { sender, recipients, subject, content, email_time, folder_name }) => {
    const written = email_time === IMPORT_TIME ? formatDateTime(app.world.now()) : email_time;
    const draft = { sender, recipients: [...(recipients ?? [])], subject, content, is_read: true };
    return app.put(exactFolder(folder_name), { ...draft, timestamp: givenDateTime(written, ' for the email time') });
  },
});

const listEmails = tool({
  name: 'list_emails',
  operation: 'READ',
  returns: 'ReturnedEmails',
  params: {
    ...FOLDER,
    offset: { type: 'int', default: 0, about: 'How many emails to skip.' },
    limit: { type: 'int', default: 10, about: 'How many emails to return at most.' },
  },
  about: 'Lists the emails of a folder, newest first, with the range shown and the total.',
  run: (app, { folder_name, offset, limit }) => app.folder(folderOf(folder_name)).page(offset, limit),
});

const getById = tool({
  name: 'get_email_by_id',
  operation: 'READ',
  returns: 'Email',
  params: { ...ID, ...FOLDER },
  about: 'Reads an email of a folder; it counts as read then.',
  run: (app, { email_id, folder_name }) => {
    const email = app.folder(folderOf(folder_name)).get(email_id);
    email.is_read = true;
    return copyOf(email);
  },
});

const getByIndex = tool({
  name: 'get_email_by_index',
  operation: 'READ',
  returns: 'Email',
  params: { idx: { type: 'int', about: 'Place of the email in its folder, from 0.' }, ...FOLDER },
  about: 'Reads the email at a place of a folder; it counts as read then.',
  run: (app, { idx, folder_name }) => {
    const email = app.folder(folderOf(folder_name)).at(idx);
    email.is_read = true;
    return copyOf(email);
  },
});

const forwardEmail = tool({
  name: 'forward_email',
  operation: 'WRITE',
  returns: 'str',
  params: { ...ID, ...RECIPIENTS, ...FOLDER },
  about: 'Forwards an email with its attachments and returns the id of the new one.',
  run: (app, { email_id, recipients, folder_name }) => {
    app.call('get_email_by_id', { email_id, folder_name });
    const email = app.folder(folderOf(folder_name)).get(email_id);
    return app.put('SENT', {
      sender: app.userEmail,
      recipients: [...(recipients ?? [])],
      subject: `FWD: ${email.subject}`,
      content: `> ${email.content}`,
      parent_id: email.email_id,
      attachments: copyOf(email.attachments),
    });
  },
});

const moveEmail = tool({
  name: 'move_email',
  operation: 'WRITE',
  returns: 'str',
  params: {
    ...ID,
    source_folder_name: { type: 'str', default: 'INBOX', about: 'The folder that it is in.' },
    dest_folder_name: { type: 'str', default: 'DRAFT', about: 'The folder that it goes to.' },
  },
  about: 'Moves an email to another folder.',
  run: (app, { email_id, source_folder_name, dest_folder_name }) => {
    const [source, destination] = [app.folder(folderOf(source_folder_name)), app.folder(folderOf(dest_folder_name))];
    const email = source.get(email_id);
    source.remove(email);
    destination.add(email);
    return email_id;
  },
});

const deleteEmail = tool({
  name: 'delete_email',
  operation: 'WRITE',
  returns: 'str',
  params: { ...ID, ...FOLDER },
  about: 'Moves an email to the trash.',
  run: (app, { email_id, folder_name }) => {
    const folder = app.folder(folderOf(folder_name));
    const email = folder.get(email_id);
    folder.remove(email);
    app.folder('TRASH').add(email);
    return email_id;
  },
});

const searchEmails = tool({
  name: 'search_emails',
  operation: 'READ',
  returns: 'list[Email]',
  params: { query: { type: 'str', about: 'A part of the text to find.' }, ...FOLDER },
  about: 'Finds emails of one folder by a part of sender, recipients, subject or text, whatever the case.',
  run: (app, { query, folder_name }) => {
    const sought = query.toLowerCase();
    const found = app
      .folder(folderOf(folder_name))
      .emails.filter(({ sender, recipients, subject, content }) =>
        [sender, ...recipients, subject, content].some((text) => holds(text, sought)),
      );
    return copyOf(found);
  },
});

const OVERRIDDEN = [sendEmail, downloadAttachments, replyToEmail, replyFromUser];
const MAIL_TOOLS: readonly Tool[] = [
  sendToUserOnly,
  replyFromUser,
  createAndAdd,
  createWithTime,
  listEmails,
  getById,
  getByIndex,
  sendEmail,
  forwardEmail,
  downloadAttachments,
  replyToEmail,
  moveEmail,
  deleteEmail,
  searchEmails,
];
const V2_TOOLS: readonly Tool[] = [...OVERRIDDEN, ...MAIL_TOOLS.filter((tool) => !OVERRIDDEN.includes(tool))];

export const emailClientV2 = (name?: string): EmailApp => new EmailApp('EmailClientV2', name, V2_TOOLS);
export const mail = (name?: string): EmailApp => new EmailApp('Mail', name, MAIL_TOOLS);
