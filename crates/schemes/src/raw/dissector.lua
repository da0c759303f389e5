show["raw"] = show_bare("raw")
