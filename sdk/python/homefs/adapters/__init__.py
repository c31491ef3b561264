"""Homes as other packages expect them, one module for each; none is imported unless asked for.

| module | needs | is |
|---|---|---|
| `homefs.adapters.fsspec` | `homefs[fsspec]` | a file system of fsspec, as `homefs://agent/path` |
| `homefs.adapters.langgraph` | `homefs[langgraph]` | a `BaseStore` of LangGraph |
| `homefs.adapters.deepagents` | `homefs[deepagents]` | a backend, or a sandbox, of deepagents |
| `homefs.adapters.anthropic` | `homefs[anthropic]` | the memory tool of Anthropic |
| `homefs.adapters.openai_agents` | `homefs[openai-agents]` | a `Session` of the OpenAI Agents SDK |
| `homefs.adapters.crewai` | `homefs[crewai]` | a storage of CrewAI's memory |
"""
