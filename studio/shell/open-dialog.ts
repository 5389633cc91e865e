import { signal } from '@preact/signals';

/** What every dialog of the shell is given. */
export interface DialogProps {
  readonly onClose: () => void;
}

/** Dialogs that can be opened from anywhere. */
export type DialogName = 'create-table' | 'connection' | 'review' | 'import';

export const openedDialog = signal<DialogName | undefined>(undefined);

export function openDialog(name: DialogName): void {
  openedDialog.value = name;
}
