import { FileCheck2 } from 'lucide-react';
import { basePath } from '../host-page.ts';
import { useText } from '../texts.ts';
import { ButtonAnchor } from '../ui/button.tsx';

const places = { message: 'message', link: 'link', request: 'requests' } as const;
type ReceiptKind = keyof typeof places;

function receiptUrl(kind: ReceiptKind, id: string): string {
  return `${basePath}/${places[kind]}/${encodeURIComponent(id)}/receipt?format=pdf`;
}

/** Administrators and auditors know only its reference. */
export function transferReceiptUrl(reference: string): string {
  return `${basePath}/admin/transfers/${encodeURIComponent(reference)}/receipt?format=pdf`;
}

export function ReceiptButton({ kind, id }: { kind: ReceiptKind; id: string }) {
  const text = useText('ui');
  return (
    <ButtonAnchor icon={FileCheck2} href={receiptUrl(kind, id)} download="">
      {text('receipt')}
    </ButtonAnchor>
  );
}
