"""Makes parallel corpora of complex and simple sentences from paired articles (Coster and Kauchak 2011)."""
