import type { ComponentType } from 'preact';
import { Lazy } from './lazy.tsx';
import { type DialogName, type DialogProps, openedDialog } from './open-dialog.ts';

/** The code of a dialog is loaded with its first opening. */
const dialogs: Readonly<Record<DialogName, () => Promise<{ default: ComponentType<DialogProps> }>>> = {
  'create-table': () => import('../pages/overview/create-table.tsx'),
  connection: () => import('./connection-dialog.tsx'),
  review: () => import('../pages/items/review-dialog.tsx'),
  import: () => import('../pages/items/import-dialog.tsx'),
};

export function Dialogs() {
  const name = openedDialog.value;
  if (name === undefined) return null;
  const onClose = () => {
    if (openedDialog.value === name) openedDialog.value = undefined;
  };
  return <Lazy key={name} load={dialogs[name]} props={{ onClose }} />;
}
