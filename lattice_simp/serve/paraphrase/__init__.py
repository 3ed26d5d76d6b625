"""The tab of paraphrases: all sentences that the phrases of a few sentences make."""
