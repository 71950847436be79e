"""Keys, roles and tokens: the files that say who may drive a rig. All are readable by their user alone (0600).

    service's folder of keys     service.key   the service's pair: its secret part proves the service to clients
                                 roles.toml    the public keys of clients, each with a name and a role
    a client's key file          NAME.key      the client's pair, and the public key of the one service it is for
    a user's runtime directory   access.token  what local programs show to services that listen on loopback without keys
"""
