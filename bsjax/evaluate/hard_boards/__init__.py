"""The search for hard boards: a hider's best reply to a hunter, one board at a time.

Against any hunter some single board does at least as well as any lottery over boards, so boards are
searched one by one. `stages.search` runs all of it; the parts are boards that differ by one ship
(`neighbours`), games on many boards at once (`trial`), descents (`descent`), scores on boards that
others found (`crossplay`), and a folder that a killed search goes on from (`folder`).
"""
