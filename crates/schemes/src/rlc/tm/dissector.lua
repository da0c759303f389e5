show["rlc-tm"] = show_bare("rlc-tm")
