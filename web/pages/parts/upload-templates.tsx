import type { ReactNode } from 'react';
import { scriptMessage } from '../script-messages.ts';
import { type ScriptTextKey, scriptTextKeys } from '../script-texts.ts';
import { FieldError } from './field.tsx';
import { useFrame, useText } from './frame.tsx';
import { Icon, type IconName } from './icon.tsx';

export function UploadTemplates(): ReactNode {
  return (
    <>
      <template data-row="">
        <Row />
      </template>
      <template data-problem="">
        <FieldError sentence="" />
      </template>
      <template data-texts="">
        {scriptTextKeys.map((key) => (
          <Sentence k={key} key={key} />
        ))}
      </template>
    </>
  );
}

/** The script fills in values. */
function Sentence({ k }: { k: ScriptTextKey }): ReactNode {
  const { locale } = useFrame();
  return <data value={k}>{JSON.stringify(scriptMessage(locale, k))}</data>;
}

/** Colour alone is not accessible. */
const rowIcons: [state: string, name: IconName][] = [
  ['ready', 'tick'],
  ['bad', 'alert'],
  ['paused', 'pause'],
  ['waiting', 'clock'],
];

function Row(): ReactNode {
  const say = useText();
  return (
    <li className="row">
      <div className="file">
        <span className="tile" aria-hidden="true" data-tile="" />
        <div className="file-text">
          <p className="file-name" data-name="" />
          <p className="file-size" data-line="">
            {rowIcons.map(([state, name]) => (
              <span data-icon={state} hidden key={state}>
                <Icon name={name} />
              </span>
            ))}
            <span data-state="" />
          </p>
          <progress max={1} value={0} data-bar="" />
        </div>
        <div className="row-actions">
          <button type="button" className="button button-quiet button-small" data-act="pause">
            {say('upload.pause')}
          </button>
          <button type="button" className="button button-quiet button-small" data-act="remove">
            {say('upload.remove')}
          </button>
        </div>
      </div>
    </li>
  );
}
