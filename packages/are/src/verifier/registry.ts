// Which arguments of tools are compared, and how; and the soft checkers, in order, that judge the texts among them. A tool without an entry
// cannot be judged. Arguments without an entry are ignored.
import { withAliases } from '../aliases.ts';
import type { Checker } from './checkers.ts';

const SOFT_CHECKERS = [
  'content_checker',
  'sanity_checker',
  'signature_checker',
  'placeholder_checker',
  'cab_checker',
  'email_checker',
  'message_checker',
  'user_message_checker',
  'event_checker',
  'tone_checker',
] as const;
export type SoftChecker = (typeof SOFT_CHECKERS)[number];

type ArgCheckers = Readonly<Record<string, Checker>>;
interface ToolEntry {
  readonly args: ArgCheckers;
  readonly soft?: readonly SoftChecker[];
}
type ToolEntries = Readonly<Record<string, ToolEntry>>;

const MAIL: readonly SoftChecker[] = ['placeholder_checker', 'signature_checker', 'tone_checker', 'email_checker'];
const MESSAGE: readonly SoftChecker[] = ['placeholder_checker', 'tone_checker', 'message_checker'];
const CONTENT: readonly SoftChecker[] = ['content_checker'];

const member: ToolEntry = { args: { conversation_id: 'eq_checker', user_id: 'eq_checker' } };
const participant: ToolEntry = { args: { conversation_id: 'eq_checker', participant: 'eq_checker' } };
const apartment: ToolEntry = { args: { apartment_id: 'eq_checker' } };
const cartItem: ToolEntry = { args: { item_id: 'eq_checker', quantity: 'eq_checker' } };
const path: ToolEntry = { args: { path: 'path_checker' } };
const open: ToolEntry = { args: { path: 'path_checker', mode: 'eq_checker' } };
const move: ToolEntry = { args: { path1: 'path_checker', path2: 'path_checker' } };
const remove: ToolEntry = { args: { path: 'path_checker', recursive: 'eq_checker' } };

const BY_CLASS: Readonly<Record<string, ToolEntries>> = {
  ApartmentListingApp: { save_apartment: apartment, remove_saved_apartment: apartment },
  CalendarApp: {
    add_calendar_event: {
      args: {
        attendees: 'list_attendees_checker',
        end_datetime: 'datetime_checker',
        start_datetime: 'datetime_checker',
        title: 'llm_checker',
        description: 'llm_checker',
        location: 'llm_checker',
      },
      soft: ['event_checker'],
    },
    delete_calendar_event: { args: { event_id: 'eq_checker' } },
  },
  ShoppingApp: {
    checkout: { args: { discount_code: 'eq_str_strip_checker' } },
    add_to_cart: cartItem,
    remove_from_cart: cartItem,
    cancel_order: { args: { order_id: 'eq_checker' } },
  },
  ContactsApp: {
    delete_contact: { args: { contact_id: 'eq_checker' } },
    add_new_contact: {
      args: {
        first_name: 'eq_str_strip_checker',
        last_name: 'eq_str_strip_checker',
        email: 'eq_str_strip_checker',
        phone: 'phone_number_checker',
      },
    },
    edit_contact: { args: { contact_id: 'eq_checker', updates: 'llm_checker' } },
  },
  EmailClientApp: {
    reply_to_email: {
      args: { email_id: 'eq_checker', content: 'llm_checker', attachment_paths: 'unordered_path_list_checker' },
      soft: MAIL,
    },
    delete_email: { args: { email_id: 'eq_checker' } },
    send_email: {
      args: {
        recipients: 'unordered_list_checker',
        cc: 'unordered_list_checker',
        attachment_paths: 'unordered_path_list_checker',
        subject: 'llm_checker',
        content: 'llm_checker',
      },
      soft: MAIL,
    },
    move_email: {
      args: { email_id: 'eq_checker', source_folder_name: 'path_checker', dest_folder_name: 'path_checker' },
    },
    forward_email: {
      args: { email_id: 'eq_checker', recipients: 'unordered_list_checker', folder_name: 'eq_checker' },
    },
    download_attachments: { args: { email_id: 'eq_checker', folder_name: 'eq_checker', path_to_save: 'path_checker' } },
  },
  CabApp: {
    order_ride: {
      args: {
        start_location: 'llm_checker',
        end_location: 'llm_checker',
        service_type: 'eq_checker',
        ride_time: 'datetime_checker',
      },
      soft: ['cab_checker'],
    },
    user_cancel_ride: { args: {} },
  },
  MessagingApp: {
    create_conversation: { args: { participants: 'unordered_list_checker' }, soft: CONTENT },
    add_participant_to_conversation: participant,
    remove_participant_from_conversation: participant,
    send_message: { args: { conversation_id: 'eq_checker', content: 'llm_checker' }, soft: MESSAGE },
  },
  MessagingAppV2: {
    send_message: {
      args: { user_id: 'eq_checker', content: 'llm_checker', attachment_path: 'path_checker' },
      soft: MESSAGE,
    },
    send_message_to_group_conversation: {
      args: { conversation_id: 'eq_checker', content: 'llm_checker', attachment_path: 'path_checker' },
      soft: MESSAGE,
    },
    create_group_conversation: { args: { user_ids: 'unordered_list_checker', title: 'llm_checker' }, soft: CONTENT },
    add_participant_to_conversation: member,
    remove_participant_from_conversation: member,
    change_conversation_title: { args: { conversation_id: 'eq_checker', title: 'llm_checker' }, soft: CONTENT },
  },
  SandboxLocalFileSystem: { mv: move, open, mkdir: path, rm: remove, rmdir: path },
  AgentUserInterface: {
    send_message_to_user: { args: { content: 'llm_checker' }, soft: ['sanity_checker', 'user_message_checker'] },
  },
  VirtualFileSystem: {
    open,
    mkdir: { args: { path: 'path_checker', create_recursive: 'eq_checker' } },
    mv: move,
    rm: remove,
    rmdir: path,
  },
  // This is the reference's spelling; the class is SandboxLocalFileSystem, whose makedirs is judged as mkdir.
  SandBoxLocalFileSystem: { makedirs: path },
};

/** Entries by `{ClassName}__{function}`, aliases too. */
export const TOOL_CHECKERS: ReadonlyMap<string, ToolEntry> = new Map(
  [...withAliases(BY_CLASS)].flatMap(([className, tools]) =>
    Object.entries(tools).map(([name, entry]): [string, ToolEntry] => [`${className}__${name}`, entry]),
  ),
);
