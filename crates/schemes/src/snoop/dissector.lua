show["snoop"] = show_bare("snoop")
