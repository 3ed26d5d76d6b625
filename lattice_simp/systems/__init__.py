"""Systems built on the engine; each can be removed without harm to the others."""
