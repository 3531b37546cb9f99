import { createRoot } from 'react-dom/client'
import './style/base.css'
import './style/shell.css'
import './style/feed.css'
import './style/run.css'
import './style/parts.css'
import { App } from './view/app.tsx'

createRoot(document.getElementById('root')!).render(<App />)
