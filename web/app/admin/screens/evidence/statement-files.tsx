import { Braces, FileCheck2 } from 'lucide-react';
import { basePath } from '../../../host-page.ts';
import { useText } from '../../../texts.ts';
import { ButtonAnchor } from '../../../ui/button.tsx';
import { Row } from '../../../ui/layout.tsx';

export function StatementFiles({ id, about }: { id: string; about: string }) {
  const text = useText('admin/evidence');
  const address = `${basePath}/admin/statements/${encodeURIComponent(id)}`;
  return (
    <Row>
      <ButtonAnchor
        icon={FileCheck2}
        size="small"
        href={`${address}?format=pdf`}
        download=""
        aria-label={text('paperOf', { about })}
      >
        {text('pdf')}
      </ButtonAnchor>
      <ButtonAnchor
        icon={Braces}
        size="small"
        href={`${address}?format=json`}
        download={`statement-${id}.json`}
        aria-label={text('jsonOf', { about })}
      >
        {text('json')}
      </ButtonAnchor>
    </Row>
  );
}
