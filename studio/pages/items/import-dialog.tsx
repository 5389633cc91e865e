import { Dialog } from '../../parts/dialog.tsx';
import type { DialogProps } from '../../shell/open-dialog.ts';

export default function ComingDialog({ onClose }: DialogProps) {
  return (
    <Dialog title="Coming" onClose={onClose}>
      Coming.
    </Dialog>
  );
}
