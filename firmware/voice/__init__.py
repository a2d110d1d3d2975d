"""Speech: the words in each language, the voice settings, and the choice of what is said when.

``hardware`` turns texts into sound. The *topic* of a text is its subject, such as "turn" or
"refusal"; it decides if and when the text is said. This room may import ``journal``, which stores
the settings, and ``common``.
"""
